import { basename, join } from 'node:path'
import type { Answers } from '../../src/answers/answers.ts'
import { allVariants } from '../../src/answers/variant.ts'
import { planOf } from '../../src/blueprints/layers.ts'
import type { FileSystem } from '../../src/system/file-system.ts'
import { jsonText } from '../../src/system/json.ts'
import type { System } from '../../src/system/system.ts'
import { REAL_BLUEPRINTS, readOnceFs, renderOnce } from '../support/blueprints.ts'
import { filesIn, locking, memoryFs, type Outcome, runCommand } from '../support/fixtures.ts'
import { ADVISORIES, asOlder, MOVED, OLDER } from '../support/older-version.ts'

export type Memory = ReturnType<typeof memoryFs>

/** A file system with the real blueprints and the files in memory. */
function withBlueprints(fs: FileSystem): FileSystem {
  return new Proxy(fs, {
    get(target, property: keyof FileSystem) {
      return (...args: unknown[]) => {
        const isBlueprint =
          typeof args[0] === 'string' &&
          args[0].startsWith(REAL_BLUEPRINTS) &&
          !['moved.json', 'advisories.json'].includes(basename(args[0]))
        const from = isBlueprint ? readOnceFs : target
        return (from[property] as (...all: unknown[]) => unknown).apply(from, args)
      }
    },
  })
}

/** Mode and profile, and the database: all that a project can be. */
export const STATES: readonly Answers[] = allVariants().map((variant) => ({
  name: 'my-api',
  ...variant,
  addOns: [],
  packageManager: 'npm',
}))

export const nameOf = ({ mode, profile, database }: Answers) =>
  [mode, profile, database].filter(Boolean).join(' ')

/** The state with this name: "basic B sqlite". */
export function stateNamed(name: string): Answers {
  const state = STATES.find((each) => nameOf(each) === name)
  if (!state) throw new Error(`no state is named ${name}`)
  return state
}

export const flagsOf = ({ mode, profile, database }: Answers) => [
  ...['--mode', mode, '--database', database],
  ...(profile ? ['--profile', profile] : []),
]

const created = new Map<string, Record<string, string>>()

/** A project as it was just created, from the real blueprints; `files` are added or replaced. */
export async function projectOf(answers: Answers, files: Record<string, string> = {}): Promise<Memory> {
  const key = [nameOf(answers), ...answers.addOns].join()
  const present = created.get(key)
  const { volume, fs } = memoryFs({ ...present, ...(present && files) }, {})
  const memory = { volume, fs: withBlueprints(fs) }
  if (present) return memory
  const flags = [...flagsOf(answers), '--add', answers.addOns.join() || 'none', '--no-install', '--no-git']
  await run(memory, ['my-api', ...flags], { cwd: '/work' })
  const written = Object.entries(filesIn(memory, '/work')).map(([path, text]) => [`/work/${path}`, text])
  created.set(key, Object.fromEntries(written))
  return projectOf(answers, files)
}

/** The files of a project that the older version created in this state. */
export async function olderFiles(answers: Answers): Promise<Record<string, string>> {
  const files = allFiles(await projectOf(answers))
  const [manifest, base] = ['manifest', 'base'].map((name) =>
    JSON.parse(files[`.authsmith/${name}.json`] ?? ''),
  )
  const older = asOlder(Object.entries<string>(base.files), answers.database)
  const stays = Object.entries(files).filter(([path]) => !(path in base.files))
  return {
    ...Object.fromEntries([...stays, ...older]),
    '.authsmith/manifest.json': jsonText({ ...manifest, generator: OLDER }),
    '.authsmith/base.json': jsonText({ ...base, files: Object.fromEntries(older) }),
  }
}

/** Such a project, and the blueprints of the newer version. `files` are added or replaced. */
export async function olderProject(answers: Answers, files: Record<string, string> = {}): Promise<Memory> {
  const memory = await projectOf(answers)
  memory.volume.rmSync('/work/my-api', { recursive: true })
  memory.volume.fromJSON({ ...(await olderFiles(answers)), ...files }, '/work/my-api')
  memory.volume.fromJSON({
    [join(REAL_BLUEPRINTS, 'moved.json')]: JSON.stringify(MOVED),
    [join(REAL_BLUEPRINTS, 'advisories.json')]: JSON.stringify(ADVISORIES),
  })
  return memory
}

/** The files that an update makes of a project in this state. */
export function freshTree(answers: Answers): Record<string, string> {
  const files = renderOnce(planOf(answers))
  return Object.fromEntries([...files].filter(([path]) => !path.startsWith('migrations/')))
}

/** Runs the command inside the project. An installation that succeeds writes its lock file. */
export function run(
  memory: Memory,
  argv: readonly string[],
  overrides: Partial<System> = {},
): Promise<Outcome> {
  const system = { fs: memory.fs, cwd: '/work/my-api', blueprints: REAL_BLUEPRINTS, ...overrides }
  return runCommand(argv, { ...system, ...(overrides.run && { run: locking(memory.fs, overrides.run) }) })
}

/** `regenerate`, without installing. */
export function regenerate(memory: Memory, argv: readonly string[], overrides: Partial<System> = {}) {
  return run(memory, ['regenerate', '--no-install', ...argv], overrides)
}

/** All files of the project. */
export const allFiles = (memory: Memory) => filesIn(memory, '/work/my-api')

const ROOT = '/work/my-api'
const OWN = ['.authsmith', 'migrations', '.env']

/** The files that an update makes like those of a fresh project. The others are not read: base.json is as large as these. */
export function tree({ volume }: Memory): Record<string, string> {
  const entries = volume.readdirSync(ROOT).map(String)
  const places = entries.filter((name) => !OWN.includes(name)).map((name) => join(ROOT, name))
  const files = Object.entries(volume.toJSON(places)).filter(([, text]) => text !== null)
  return Object.fromEntries(files.map(([path, text]) => [path.slice(ROOT.length + 1), text ?? '']))
}
