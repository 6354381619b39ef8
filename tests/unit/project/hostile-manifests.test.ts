// Covers src/project/base.ts, src/project/records.ts.
import { beforeAll, describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { pathFault } from '../../../src/project/path-rules.ts'
import { parsePending } from '../../../src/update/journal/journal.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { filesIn } from '../../support/fixtures.ts'
import { PROJECT, runSmall, type SmallMemory, smallProject } from '../../support/small-project.ts'

const MANIFEST = `${PROJECT}/.authsmith/manifest.json`
const BASE = `${PROJECT}/.authsmith/base.json`
const ONE_LINE = /^create-authsmith: [^\p{Cc}\p{Cf}\p{Cs}]{20,600}\n$/u

let manifest: Record<string, unknown>
let answers: Record<string, unknown>
beforeAll(async () => {
  manifest = JSON.parse(filesIn(await smallProject(), PROJECT)['.authsmith/manifest.json'] ?? '')
  answers = manifest.answers as Record<string, unknown>
})

/** Expects each command to refuse the project in one line, with exit code 3, and to change nothing. */
async function expectRefused(memory: SmallMemory, part: string) {
  const before = memory.volume.toJSON('/work')
  for (const argv of [
    ['regenerate', '--no-install', '-m', 'basic', '-p', 'B'],
    ['regenerate', '--check'],
    ['status'],
    ['regenerate', '--abort'],
  ]) {
    const outcome = await runSmall(memory, argv)
    expect({ argv, ...outcome }).toMatchObject({ exitCode: 3, stdout: '' })
    expect(outcome.stderr).toMatch(ONE_LINE)
    expect(outcome.stderr).toContain(part)
  }
  expect(memory.volume.toJSON('/work')).toEqual(before)
  expect(({} as Record<string, unknown>).polluted).toBeUndefined()
}

describe('a hostile or damaged manifest is refused', () => {
  const withAnswers = (changes: object) =>
    JSON.stringify({ ...manifest, answers: { ...answers, ...changes } })
  const cases: [string, () => string, string][] = [
    ['an empty file', () => '', 'is not JSON'],
    ['half a file', () => JSON.stringify(manifest).slice(0, 80), 'is not JSON'],
    ['conflict markers of git', () => `<<<<<<< HEAD\n${JSON.stringify(manifest)}`, 'has conflict markers'],
    ['a list', () => '[]', 'must contain one JSON object'],
    ['null', () => 'null', 'must contain one JSON object'],
    ['no members', () => '{}', 'is damaged at formatVersion'],
    [
      'a newer format',
      () => JSON.stringify({ ...manifest, formatVersion: 2 }),
      'by a newer create-authsmith',
    ],
    ['a format of another type', () => JSON.stringify({ ...manifest, formatVersion: '1' }), 'formatVersion'],
    ['an unknown member', () => JSON.stringify({ ...manifest, postinstall: 'x' }), '"postinstall"'],
    ['a newer generator', () => JSON.stringify({ ...manifest, generator: '999.0.0' }), '999.0.0'],
    [
      'a generator that is not a version',
      () => JSON.stringify({ ...manifest, generator: '1; rm' }),
      'generator',
    ],
    ['an unknown mode', () => withAnswers({ mode: 'root' }), 'answers.mode'],
    ['a mode of another type', () => withAnswers({ mode: ['none'] }), 'answers.mode'],
    [
      'a profile where there is none',
      () => withAnswers({ profile: 'A' }),
      'every mode but none has a profile',
    ],
    [
      'no profile where there is one',
      () => withAnswers({ mode: 'basic' }),
      'every mode but none has a profile',
    ],
    ['a name that leaves the project', () => withAnswers({ name: '../../etc' }), 'answers.name'],
    ['a name that ends its line', () => withAnswers({ name: 'a\n"; rm -rf /' }), 'answers.name'],
    ['a program for a package manager', () => withAnswers({ packageManager: '/tmp/evil' }), 'packageManager'],
    ['an unknown answer', () => withAnswers({ shell: 'sh' }), '"shell"'],
    ['no history', () => JSON.stringify({ ...manifest, history: [] }), 'history'],
    ['a history of something else', () => JSON.stringify({ ...manifest, history: ['drop'] }), 'history.0'],
    ['a history that ends elsewhere', () => JSON.stringify({ ...manifest, history: ['basic-a'] }), 'history'],
    [
      'an endless history',
      () => JSON.stringify({ ...manifest, history: Array(1001).fill('none') }),
      'history',
    ],
    [
      'migrations that never were',
      () => JSON.stringify({ ...manifest, migrated: { sqlite: 7, postgres: 0 } }),
      'migrated',
    ],
    [
      'half a migration',
      () => JSON.stringify({ ...manifest, migrated: { sqlite: 0.5, postgres: 0 } }),
      'migrated',
    ],
    ...[
      { profile: 'A', until: '2026-01-08T00:00:00.000Z' },
      { profile: 'C', until: '2026-01-08T00:00:00.000Z' },
      { profile: 'A' },
      { profile: 'A', until: '\u001b[2J' },
      { profile: 'A', until: '2026-01-08T00:00:00.000Z', run: 'x' },
      'A',
    ].map((unknown): [string, () => string, string] => [
      `an unknown member: ${JSON.stringify(unknown)}`,
      () => JSON.stringify({ ...manifest, unknown }),
      'has the unknown key "unknown"',
    ]),
    [
      'a prototype',
      () => JSON.stringify(manifest).replace('{', '{"__proto__":{"polluted":1},'),
      'has the unknown key "__proto__"',
    ],
    [
      'a deep prototype',
      () => JSON.stringify(manifest).replace('"name"', '"\\u005f_proto__":{"polluted":1},"name"'),
      'has the unknown key "__proto__"',
    ],
    ['endless nesting', () => '[{"a":'.repeat(10_000), 'is not JSON'],
    [
      'a file of more than 64 KiB',
      () => JSON.stringify(manifest).padEnd(70_000),
      'is larger than 65536 bytes',
    ],
    ['escapes for the terminal', () => withAnswers({ mode: '\u001b]0;x\u0007\u202e' }), 'answers.mode'],
    [
      'an unknown member with escapes',
      () => JSON.stringify({ ...manifest, '\u001b[2J\u202e': 1 }),
      '\\u{1b}[2J',
    ],
  ]
  it.each(cases)('%s', async (_, text, part) => {
    await expectRefused(await smallProject({ [MANIFEST]: text() }), part)
  })

  it('bytes that are not text', async () => {
    const memory = await smallProject()
    memory.volume.writeFileSync(MANIFEST, Buffer.from([0x7b, 0xff, 0xfe]))
    await expectRefused(memory, 'is not text')
  })

  it('a directory, or nothing, in its place', async () => {
    const memory = await smallProject()
    memory.volume.rmSync(MANIFEST)
    await expectRefused(memory, '.authsmith/manifest.json is missing')
    memory.volume.mkdirSync(MANIFEST)
    await expectRefused(memory, 'is not a file')
  })

  it('a link in its place, or in that of its folder', async () => {
    const memory = await smallProject()
    memory.volume.renameSync(MANIFEST, '/work/elsewhere.json')
    memory.volume.symlinkSync('/work/elsewhere.json', MANIFEST)
    await expectRefused(memory, 'is not a file')

    const folder = await smallProject()
    folder.volume.renameSync(`${PROJECT}/.authsmith`, '/work/elsewhere')
    folder.volume.symlinkSync('/work/elsewhere', `${PROJECT}/.authsmith`)
    await expectRefused(folder, '.authsmith is not a directory')
  })
})

describe('a hostile base is refused', () => {
  const base = (files: unknown) => JSON.stringify({ formatVersion: 1, files })
  const PATHS = [
    ...['../x', 'a/../../x', '/etc/passwd', '..', '.', '', './a', 'a//b', 'a/', 'a/./b'],
    ...[
      'C:/Windows/x',
      'C:\\x',
      'a\\b',
      '\\\\server\\share',
      'a:stream',
      'a\0b',
      'a\nb',
      '\u001b[2J',
      'a b',
      '．．/x',
    ],
    ...['.git/hooks/pre-commit', '.GIT/config', 'src/.git/hooks/x', 'git~1/config', '.git./x', 'a./b'],
    ...[
      '.env',
      '.ENV',
      '.authsmith/manifest.json',
      '.Authsmith/x',
      'node_modules/zod/index.js',
      'Node_Modules/x',
    ],
    ...['constructor', 'src/prototype', `${'a/'.repeat(600)}b`, 'a'.repeat(256)],
  ]
  it.each(PATHS.map((path) => [path]))('for the path %j', async (path) => {
    await expectRefused(
      await smallProject({ [BASE]: base({ [path]: 'x' }) }),
      '.authsmith/base.json is damaged at files',
    )
  })

  it.each<[string, string, string]>([
    [
      'the path __proto__',
      '{"formatVersion":1,"files":{"__proto__":"x"}}',
      'has the unknown key "__proto__"',
    ],
    [
      'paths that are one file for Windows and macOS',
      base({ 'README.md': 'a', 'Readme.md': 'b' }),
      'are the same file',
    ],
    ['a text of another type', base({ 'src/a.ts': ['x'] }), 'has no text'],
    ['a list of files', base([]), 'must be an object'],
    ['no files', '{"formatVersion":1}', 'must be an object'],
    ['a newer format', '{"formatVersion":2,"files":{}}', 'by a newer create-authsmith'],
    ['an unknown member', '{"formatVersion":1,"files":{},"run":"x"}', '"run"'],
    ['a damaged text', base({ a: 'x' }).slice(0, -3), 'or delete it: then each file that differs'],
  ])('for %s', async (_, text, part) => {
    await expectRefused(await smallProject({ [BASE]: text }), part)
  })

  it('for its size', async () => {
    const memory = await smallProject()
    memory.volume.writeFileSync(BASE, Buffer.alloc(32 * 1024 * 1024 + 1, ' '))
    await expectRefused(memory, 'is larger than')
  })

  it('for no path that is generated', () => {
    const variants = [...exampleAnswers().values()]
    expect(variants).toHaveLength(12)
    const paths = variants.flatMap((answers) => [...renderOnce(planOf(answers)).keys()])
    expect(paths.filter((path) => pathFault(path) !== undefined)).toEqual([])
  })
})

describe('a hostile journal is refused', () => {
  const file = { base64: 'eA==' }
  const change = (path: string, after: unknown = file) => [{ path, before: null, after }]
  const journal = async (changes: object) => {
    const files = filesIn(await smallProject(), PROJECT)
    return JSON.stringify({
      formatVersion: 1,
      state: 'applying',
      changes: [],
      conflicts: [],
      previousManifest: files['.authsmith/manifest.json'],
      previousBase: files['.authsmith/base.json'],
      nextManifest: files['.authsmith/manifest.json'],
      nextBase: files['.authsmith/base.json'],
      ...changes,
    })
  }

  it.each<[string, object]>([
    ['a path outside the project', { changes: change('../../.ssh/authorized_keys') }],
    ['a hook of git', { changes: change('.git/hooks/pre-commit') }],
    ['a module', { changes: change('node_modules/zod/index.js') }],
    ['its own folder', { changes: change('.authsmith/base.json') }],
    ['the set-user-ID bit', { changes: change('a', { ...file, mode: 0o4755 }) }],
    ['one file twice', { changes: [...change('a'), ...change('A')] }],
    ['invalid base64', { changes: change('a', { base64: '$$$' }) }],
    ['an unknown member of a file', { changes: change('a', { ...file, owner: 0 }) }],
    ['a conflict in a file that does not change', { conflicts: ['a'] }],
    ['an option of git instead of a commit', { commit: '--output=src/app.ts' }],
    ['an unknown state', { state: 'done' }],
    ['an invalid next manifest', { nextManifest: '{}' }],
    ['an invalid previous manifest', { previousManifest: '{"formatVersion":1}' }],
    ['an invalid next base', { nextBase: '{"formatVersion":1,"files":{"../x":""}}' }],
    ['an invalid previous base', { previousBase: '[]' }],
    ['an unknown member', { run: 'x' }],
  ])('for %s', async (_, changes) => {
    const memory = await smallProject({ [`${PROJECT}/.authsmith/pending.json`]: await journal(changes) })
    const before = memory.volume.toJSON('/work')
    for (const flag of ['--continue', '--abort', '--dry-run', '--check']) {
      const outcome = await runSmall(memory, ['regenerate', '--no-install', flag])
      expect({ flag, ...outcome }).toMatchObject({ exitCode: 3, stdout: '' })
      expect(outcome.stderr).toMatch(ONE_LINE)
    }
    expect(memory.volume.toJSON('/work')).toEqual(before)
  })

  it('unless it is valid', async () => {
    const changes = [{ path: '.env', before: { base64: '/w==', mode: 0o600 }, after: null }]
    expect(parsePending(await journal({ changes, conflicts: ['.env'] }))).toMatchObject({
      changes: [{ path: '.env', before: { bytes: Buffer.from([0xff]), mode: 0o600 }, after: null }],
    })
  })
})
