import { join } from 'node:path'
import type { Answers } from './answers.ts'
import { readDisk } from './disk.ts'
import { UserError } from './errors.ts'
import type { FileSystem } from './file-system.ts'
import type { Manifest, Project } from './manifest.ts'
import { replay } from './migrations/replay.ts'
import { schemaTables } from './migrations/schema-tables.ts'
import { type State, stateOf } from './migrations/state.ts'
import { transition } from './migrations/transition.ts'
import { planOf } from './plan.ts'
import { filesBelow, type Rendered, render } from './render.ts'
import type { World } from './world.ts'

export interface SwitchedMigrations extends Pick<Manifest, 'history' | 'migrated'> {
  /** New files, and the journal, by path. */
  readonly files: ReadonlyMap<string, string>
  readonly notes: readonly string[]
}

export interface MigrationSwitch {
  readonly project: Project
  readonly to: Answers
  readonly base: Rendered
  readonly next: Rendered
  readonly existingUsers: 'unverified' | 'verified'
  /** The texts of schema files that stay though they are not generated any more. */
  readonly keptSchemas: readonly string[]
}

/**
 * What the migrations folder of the new database gets, and how the history goes on: the new state is its next entry, and
 * the database's folder has followed it to the end.
 * @throws UserError (refused) where the folder is damaged
 */
export function switchMigrations(world: World, options: MigrationSwitch): SwitchedMigrations {
  const { project, to, base, next, existingUsers, keptSchemas } = options
  const { answers: from, history, migrated } = project.manifest
  const dialect = to.database
  const state = stateOf(to)
  const isNewState = state !== stateOf(from)
  const shared = {
    dialect,
    files: migrationsOnDisk(world.fs, project.path, dialect),
    existingUsers,
    keptTables: new Set(keptSchemas.flatMap(schemaTables)),
    now: world.now(),
  }
  if (dialect === from.database) {
    const { files, notes } = transition({ ...shared, base, next, history, to: state })
    // A newer generator's tables are a step too, which the folder of the other database has to follow.
    const followed = isNewState || files.size > 0 ? [...history, state] : history
    return { files, notes, history: followed, migrated: { ...migrated, [dialect]: followed.length } }
  }
  const followed = isNewState ? [...history, state] : history
  const fresh = (past: State) => render(world.fs, world.blueprints, planOf(answersIn(past, to)))
  const { files, notes } = replay({ ...shared, history: followed, migrated: migrated[dialect], fresh })
  return {
    files,
    notes: [...notes, isNewState ? TWO_STEPS : COPY],
    history: followed,
    migrated: { ...migrated, [dialect]: followed.length },
  }
}

const COPY = 'the rows are still in the old database: db:copy carries them over (see README.md)'

/** The migration that moves the rows of one state into the tables of another would find no row in the new database. */
const TWO_STEPS =
  'db:copy carries rows over between databases of the same mode and profile: where there are rows to keep, take this back ' +
  '(git), switch --database alone, copy, and switch the rest then'

/** The answers of a project that is in `state`, and otherwise like `like`. */
function answersIn(state: State, { name, database, packageManager }: Answers): Answers {
  const [mode, profile] = state.split('-')
  const rest = { name, database, packageManager }
  return mode === 'basic' || mode === 'complete'
    ? { ...rest, mode, profile: profile === 'a' ? 'A' : 'B' }
    : { ...rest, mode: 'none' }
}

/** The texts of Drizzle Kit's files in the folder of one database's migrations; what else lies there is nobody's business. */
function migrationsOnDisk(
  fs: FileSystem,
  project: string,
  dialect: Answers['database'],
): Map<string, string> {
  const folder = `migrations/${dialect}`
  if (!fs.lstatSync(join(project, folder), { throwIfNoEntry: false })) return new Map()
  const files = filesBelow(fs, join(project, folder)).filter((file) =>
    /^(?:[^/]+\.sql|meta\/[^/]+\.json)$/.test(file),
  )
  return new Map(
    files.map((file): [string, string] => {
      const path = `${folder}/${file}`
      const disk = readDisk(fs, project, path)
      if (disk.kind === 'text') return [path, disk.text]
      const what = disk.kind === 'other' ? disk.what : 'not there'
      throw new UserError('refused', `${path} is ${what}; migrations must be text files in real folders`)
    }),
  )
}
