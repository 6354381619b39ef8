// Covers src/merge/layout.ts and src/merge/tokens.ts with real formatters.
import nodeFs from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { filesBelow } from '../../src/system/file-system.ts'
import { run as runProgram } from '../../src/system/run.ts'
import { runCommand } from '../support/fixtures.ts'

const BIOME = {
  formatter: { indentStyle: 'tab', lineWidth: 80 },
  javascript: { formatter: { quoteStyle: 'double', semicolons: 'always' } },
}
const OURS = { ...BIOME, files: { includes: ['**', '!.authsmith', '!migrations/*/meta'] } }
const json = (value: object) => JSON.stringify(value, null, '\t')

/** A way to format a project: the files that say how, by path from the project, and the program. */
interface Setup {
  readonly files: Record<string, string>
  readonly program?: 'biome' | 'prettier'
  /** Where node_modules is while the project is updated. */
  readonly modules?: '.' | '..' | 'nowhere'
}

const SETUPS: Record<string, Setup> = {
  'its own biome.json': { files: { 'biome.json': json(OURS) } },
  'the Biome of a monorepo, with its configuration in the root': {
    files: {
      '../biome.json': json(BIOME),
      'biome.json': json({ root: false, extends: '//', files: OURS.files }),
    },
    modules: '..',
  },
  'a configuration that extends another one': {
    files: {
      '../style/biome.json': json(BIOME),
      'biome.json': json({ extends: ['../style/biome.json'], files: OURS.files }),
    },
  },
  'a plugin': {
    files: {
      'biome.json': json({ ...OURS, plugins: ['./rules/no-assign.grit'] }),
      'rules/no-assign.grit': '`Object.assign($a)` where { register_diagnostic(span=$a, message="no") }\n',
    },
  },
  'an .editorconfig': {
    files: {
      '.editorconfig': 'root = true\n\n[*]\nindent_style = tab\nmax_line_length = 80\n',
      'biome.json': json({
        files: OURS.files,
        formatter: { useEditorconfig: true },
        javascript: BIOME.javascript,
      }),
    },
  },
  'Biome, but nothing is installed now': { files: { 'biome.json': json(OURS) }, modules: 'nowhere' },
  Prettier: {
    files: {
      '.prettierrc': '{ "useTabs": true, "printWidth": 80 }\n',
      // The rest, which is most of a project, is formatted by Biome above.
      '.prettierignore': '*\n!*/\n!src/**\n',
    },
    program: 'prettier',
  },
}

/** Every run tests three. The others find Biome's configuration elsewhere. */
const EVERY_RUN = ['its own biome.json', 'Biome, but nothing is installed now', 'Prettier']
const setups = Object.entries(SETUPS).filter(([name]) => process.env.TEST_ALL || EVERY_RUN.includes(name))

const bin = (name: string) => resolve('node_modules/.bin', name)
const LIMITS = 'src/settings/rate-limits.ts'

describe('a project whose every file was reformatted is switched without a conflict', () => {
  let folder: string
  beforeAll(() => {
    folder = nodeFs.mkdtempSync(join(tmpdir(), 'authsmith-reformatted-'))
  })
  afterAll(() => nodeFs.rmSync(folder, { recursive: true, force: true }))

  const real = { fs: nodeFs, run: runProgram, blueprints: resolve('blueprints') }

  /** A project below `folder/name/`, formatted as in the setup. */
  async function formatted(name: string, mode: string, setup: Setup): Promise<string> {
    const parent = join(folder, name)
    nodeFs.mkdirSync(parent, { recursive: true })
    const created = ['my-api', '-m', mode, '-p', 'A', '--add', 'pages', '--no-install', '--no-git']
    expect((await runCommand(created, { ...real, cwd: parent })).exitCode).toBe(0)
    const project = join(parent, 'my-api')
    for (const [path, text] of Object.entries(setup.files)) {
      nodeFs.mkdirSync(dirname(join(project, path)), { recursive: true })
      nodeFs.writeFileSync(join(project, path), text)
    }
    nodeFs.symlinkSync(
      resolve('node_modules'),
      join(project, setup.modules === '..' ? '..' : '.', 'node_modules'),
    )
    await format(project, setup)
    if (setup.modules === 'nowhere') nodeFs.rmSync(join(project, 'node_modules'))
    return project
  }

  async function format(project: string, { program = 'biome' }: Setup) {
    const args = program === 'biome' ? ['format', '--write', '.'] : ['--write', '.']
    const options = { cwd: project, signal: new AbortController().signal }
    expect(await runProgram(bin(program), args, options)).toMatchObject({ ok: true })
  }

  /** Its files without those of the generator, the environment and the migrations, of which a switch adds some. */
  const texts = (project: string) =>
    Object.fromEntries(
      nodeFs
        .readdirSync(project)
        .filter((name) => !/^(?:node_modules|migrations|\.authsmith|\.env)$/.test(name))
        .flatMap((name) =>
          nodeFs.statSync(join(project, name)).isFile()
            ? [name]
            : filesBelow(nodeFs, join(project, name)).map((path) => `${name}/${path}`),
        )
        .map((path) => [path, nodeFs.readFileSync(join(project, path), 'utf8')]),
    )

  it.each(setups)('%s', async (name, setup) => {
    const project = await formatted(`${name} old`, 'basic', setup)
    const fresh = await formatted(`${name} new`, 'complete', setup)
    const addOurs = (at: string) => {
      const text = nodeFs.readFileSync(join(at, LIMITS), 'utf8')
      expect(text).toContain('\n\tenabled: ')
      nodeFs.writeFileSync(join(at, LIMITS), text.replace('\n\tenabled: ', '\n\t// ours\n\tenabled: '))
    }
    for (const at of [project, fresh]) addOurs(at)
    // More permissions than the umask allows for a new file.
    nodeFs.chmodSync(join(project, LIMITS), 0o666)

    const args = ['regenerate', '-m', 'complete', '--no-install', '--json']
    const { stdout, exitCode } = await runCommand(args, { ...real, cwd: project })
    expect(exitCode).toBe(0)
    const { files, next } = JSON.parse(stdout) as {
      files: { action: string; path: string }[]
      next: string[]
    }
    const paths = (...actions: string[]) =>
      files.filter(({ action }) => actions.includes(action)).map(({ path }) => path)
    expect(paths('merge', 'conflict', 'yours', 'kept', 'deleted')).toEqual([LIMITS])
    expect(paths('edited')).toEqual(
      Object.keys(setup.files)
        .filter((path) => /^(?:biome.json|.editorconfig)$/.test(path))
        .sort(),
    )
    expect(next).toContain('npm run format')
    expect(nodeFs.statSync(join(project, LIMITS)).mode & 0o777).toBe(0o666)

    // The result of a formatter may change when it is formatted again.
    for (let pass = 0; pass < 2; pass++) await Promise.all([project, fresh].map((at) => format(at, setup)))
    expect(texts(project)).toEqual(texts(fresh))
  })
})
