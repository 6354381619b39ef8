import { join } from 'node:path'
import { install, runnerIn } from './after.ts'
import type { Answers } from './answers.ts'
import { parseBase } from './base.ts'
import { type PackageManager, packageManagerCommands } from './package-managers.ts'
import type { Pending } from './pending.ts'
import { schemaFiles } from './schema-files.ts'
import { failed, type RunInProject, type Step, skipped } from './step.ts'
import type { World } from './world.ts'

/** With CI set, pnpm and Yarn refuse to change a lock file, unless they are told to. */
const CHANGES_LOCKFILE: Partial<Record<PackageManager, readonly string[]>> = {
  pnpm: ['--no-frozen-lockfile'],
  yarn: ['--no-immutable'],
}

/**
 * What comes after an update: installing what package.json names now, then the migration of the owner's own tables, where the
 * database is another one.
 * @param project absolute path of the project
 * @throws UserError (interrupted) on Ctrl-C; the project is whole then and stays
 */
export async function afterUpdate(
  world: World,
  project: string,
  pending: Pending,
  { from, to }: { from: Answers; to: Answers },
  wantsInstall: boolean,
): Promise<Step[]> {
  const { packageManager } = to
  const isNeeded =
    pending.changes.some(({ path }) => path === 'package.json') || from.packageManager !== packageManager
  const needsMigration = from.database !== to.database && hasOwnTables(world, project, pending)
  if (!isNeeded && !needsMigration) return []

  const runInProject = runnerIn(world, project)
  const installed = !wantsInstall
    ? skipped('install', '--no-install')
    : isNeeded
      ? await install(world, runInProject, packageManager, CHANGES_LOCKFILE[packageManager])
      : skipped('install', 'package.json did not change')
  if (!needsMigration) return [installed]
  return [installed, await generate(world, runInProject, project, packageManager, installed)]
}

/** Whether the tables are others than those that were generated: then the new database's migrations lack something. */
function hasOwnTables({ fs }: World, project: string, { nextBase }: Pending): boolean {
  const { files } = parseBase(nextBase)
  return [...schemaFiles(fs, project)].some(([path, text]) => text !== files.get(path))
}

const GENERATE = 'db:generate'
/** Drizzle Kit asks about what might be a rename; without a terminal it fails, and yet exits with 0. */
const GENERATED = /No schema changes|SQL migration file/

async function generate(
  world: World,
  runInProject: RunInProject,
  project: string,
  packageManager: PackageManager,
  installed: Step,
): Promise<Step> {
  const { run, dashes } = packageManagerCommands[packageManager]
  const command = `${run} ${GENERATE}${dashes} --name own_tables`
  if (installed.status !== 'done' && !world.fs.existsSync(join(project, 'node_modules'))) {
    return { ...skipped(GENERATE, 'nothing is installed yet'), command }
  }
  const done = world.progress('Writing the migration of your own tables')
  const result = await runInProject(packageManager, command.split(' ').slice(1)).finally(done)
  return result.ok && GENERATED.test(result.output)
    ? { name: GENERATE, status: 'done' }
    : failed(GENERATE, result, command)
}
