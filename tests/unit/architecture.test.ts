import fs from 'node:fs'
import { dirname, join } from 'node:path/posix'
import { describe, expect, it } from 'vitest'
import { filesBelow } from '../../src/system/file-system.ts'
import { circles, importsOf, type Sources } from '../support/imports.ts'

/** The rooms of src/, top to bottom. Each imports only from itself and from those in later lines. */
const ROOMS = [
  ['cli.ts'],
  ['cli'],
  ['audit'],
  ['create', 'update', 'copy'],
  ['migrations'],
  ['env'],
  ['project'],
  ['tools'],
  ['blueprints'],
  ['answers', 'merge'],
  ['system'],
]

/** The rooms of a folder below the files that compose them, top to bottom. */
const INNER: Record<string, string[]> = {
  migrations: ['rows', 'schema', 'drizzle-kit', 'sql'],
  update: ['plan', 'owner', 'journal', 'files'],
}

const roomOf = (path: string) => path.split('/', 1)[0] ?? ''
const levelOf = (path: string) => ROOMS.findIndex((rooms) => rooms.includes(roomOf(path)))

/** The level of a file in such a folder: -1 for those that compose it; undefined elsewhere. */
const innerLevelOf = (path: string) => {
  const [room = '', inner = ''] = path.split('/')
  return INNER[room]?.indexOf(inner)
}

/** Imports that do not point down. */
function upwardImports(sources: Sources): string[] {
  const isUpward = (path: string, target: string) => {
    if (roomOf(target) !== roomOf(path)) return levelOf(target) <= levelOf(path)
    const [from, to] = [innerLevelOf(path), innerLevelOf(target)]
    return from !== undefined && to !== undefined && to < from
  }
  return [...sources].flatMap(([path, text]) =>
    importsOf(path, text)
      .filter((target) => isUpward(path, target))
      .map((target) => `${path} imports ${target}`),
  )
}

/** Files that use the global `process`, or import it; what a comment or a sentence says does not count. */
function usersOfProcess(sources: Sources): string[] {
  const withoutComments = (text: string) => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*/g, '')
  const usage = /\bprocess(?=\s*(?:[.[(),;:?}]|\n|$))|['"](?:node:)?process['"]/
  return [...sources].filter(([, text]) => usage.test(withoutComments(text))).map(([path]) => path)
}

const SOURCES: Sources = new Map(
  filesBelow(fs, 'src').map((path) => [path, fs.readFileSync(join('src', path), 'utf8')]),
)

describe('src/', () => {
  it('has no folder or file outside the rooms', () => {
    expect([...SOURCES.keys()].filter((path) => levelOf(path) < 0)).toEqual([])
    const inner = [...SOURCES.keys()].filter((path) => path.split('/').length > 2)
    expect(inner.filter((path) => innerLevelOf(path) === -1)).toEqual([])
  })

  it('imports only from lower rooms', () => {
    expect(upwardImports(SOURCES)).toEqual([])
  })

  it('has no import cycle', () => {
    expect(circles(SOURCES)).toEqual([])
  })

  it('has a test for each file with code: one of the same name, or one that mentions it', () => {
    const tests = filesBelow(fs, 'tests').filter((path) => path.endsWith('.test.ts'))
    const texts = tests.map((path) => fs.readFileSync(join('tests', path), 'utf8'))
    const untested = [...SOURCES]
      .filter(([, text]) => /^export (?:async )?(?:function|class|const)\b|^main\(/m.test(text))
      .map(([path]) => path)
      .filter((path) => !tests.includes(`unit/${path.replace('.ts', '.test.ts')}`))
      .filter((path) => !texts.some((text) => text.includes(`src/${path}`)))
    expect(untested).toEqual([])
  })

  it('has no folder with more than 16 files, copy/ 20, and no file with more than 200 lines', () => {
    const folders = new Map<string, string[]>()
    for (const path of SOURCES.keys())
      folders.set(dirname(path), [...(folders.get(dirname(path)) ?? []), path])
    const full = [...folders].filter(([name, files]) => files.length > (name === 'copy' ? 20 : 16))
    expect(full.map(([name]) => name)).toEqual([])
    const long = [...SOURCES].filter(([, text]) => text.split('\n').length - 1 > 200)
    expect(long.map(([path]) => path)).toEqual([])
  })

  it('uses process only in cli.ts', () => {
    expect(usersOfProcess(SOURCES)).toEqual(['cli.ts'])
  })
})

describe('a planted violation is found', () => {
  it('an import from a higher room, or from one on the same level', () => {
    const sources = new Map([
      ['system/run.ts', "import type { Answers } from '../answers/answers.ts'\n"],
      ['answers/answers.ts', "import { run } from '../system/run.ts'\n"],
      ['update/plan.ts', "export {\n  create,\n} from '../create/create.ts'\n"],
      ['create/create.ts', "const { lock } = await import('../update/lock.ts')\n"],
      ['update/lock.ts', "import '../cli.ts'\n"],
      ['migrations/sql/tokens.ts', "import '../schema/taken.ts'\n"],
      ['migrations/schema/taken.ts', "import '../switch.ts'\n"],
      ['update/files/decide.ts', "import '../owner/moves.ts'\n"],
      ['update/owner/moves.ts', "import '../journal/lock.ts'\n"],
      ['update/journal/lock.ts', "import '../update.ts'\n"],
    ])
    expect(upwardImports(sources)).toEqual([
      'system/run.ts imports answers/answers.ts',
      'update/plan.ts imports create/create.ts',
      'create/create.ts imports update/lock.ts',
      'update/lock.ts imports cli.ts',
      'migrations/sql/tokens.ts imports migrations/schema/taken.ts',
      'migrations/schema/taken.ts imports migrations/switch.ts',
      'update/files/decide.ts imports update/owner/moves.ts',
      'update/journal/lock.ts imports update/update.ts',
    ])
  })

  it('a circle, also inside a room and of types', () => {
    const sources = new Map([
      ['env/a.ts', "import type { B } from './b.ts'\nimport './c.ts'\n"],
      ['env/b.ts', "import { c } from './c.ts'\n"],
      ['env/c.ts', "export type { A } from './a.ts'\n"],
    ])
    expect(circles(sources)).toEqual(['env/a.ts → env/b.ts → env/c.ts → env/a.ts'])
  })

  it.each([
    'process.env.CI',
    'const { pid } = process\n',
    "import { env } from 'node:process'",
    'f(process)',
  ])('process: %s', (text) => {
    expect(usersOfProcess(new Map([['env/a.ts', text]]))).toEqual(['env/a.ts'])
  })

  it('a comment about a process is not reported', () => {
    const text = "// this process.\n/** of a process. */\nconst text = 'another process is running'\n"
    expect(usersOfProcess(new Map([['env/a.ts', text]]))).toEqual([])
  })
})
