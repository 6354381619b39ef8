import { packageManagerCommands } from '../../answers/package-managers.ts'
import { isSameExceptComments } from '../../merge/layout.ts'
import { schemaFiles, schemaPaths } from '../../project/schema-files.ts'
import { readTree } from '../../project/tree.ts'
import type { System } from '../../system/system.ts'
import { install, installedAt, runnerIn } from '../../tools/install.ts'
import { failed, type RunInProject, skipped, type ToolRun } from '../../tools/tool-run.ts'
import type { Pending } from '../journal/journal.ts'

/**
 * Runs what an update requires: installs changed dependencies and, if the database changed, generates the migration of
 * the owner's tables.
 * @param project absolute path of the project
 * @throws UserError (interrupted) on Ctrl-C; the updated project stays
 */
export async function runTools(
  system: System,
  project: string,
  pending: Pending,
  wantsInstall: boolean,
): Promise<ToolRun[]> {
  const from = pending.previous.manifest.answers
  const to = pending.next.manifest.answers
  const { packageManager } = to
  const isNeeded =
    pending.changes.some(({ path }) => path === 'package.json') || from.packageManager !== packageManager
  const needsMigration = from.database !== to.database && hasOtherTables(system, project, pending)
  if (!isNeeded && !needsMigration) return []

  const { install: installCommand, run, dashes } = packageManagerCommands[packageManager]
  const generateCommand = `${run} ${GENERATE}${dashes} --name own_tables`
  const toFinish = [installCommand, ...(needsMigration ? [generateCommand] : [])].join(' && ')
  const runInProject = runnerIn(system, project, toFinish)
  const installed = !wantsInstall
    ? skipped('install', '--no-install')
    : isNeeded
      ? await install(system, runInProject, project, packageManager)
      : skipped('install', 'package.json did not change')
  if (!needsMigration) return [installed]
  const isInstalled =
    installed.status === 'done' || installedAt(system.fs, project, 'drizzle-kit') !== undefined
  if (!isInstalled)
    return [installed, { ...skipped(GENERATE, 'nothing is installed yet'), command: generateCommand }]
  return [installed, await generate(system, runnerIn(system, project, generateCommand), generateCommand)]
}

/**
 * Whether the project defines other tables than the generated ones, which the new database's migrations do not create.
 */
function hasOtherTables({ fs }: System, project: string, { next }: Pending): boolean {
  const tree = readTree(fs, project)
  if (!schemaPaths(tree)) return true
  return [...schemaFiles(tree)].some(
    ([path, text]) => !isSameExceptComments(path, text, next.base.files.get(path) ?? ''),
  )
}

const GENERATE = 'db:generate'
/** Drizzle Kit prompts about possible renames. Without a terminal it fails, but still exits with 0. */
const GENERATED = /No schema changes|SQL migration file/

async function generate(system: System, runInProject: RunInProject, command: string): Promise<ToolRun> {
  const [program = '', ...args] = command.split(' ')
  const done = system.progress(() => 'Writing the migration of your own tables')
  const result = await runInProject(program, args).finally(done)
  return result.ok && GENERATED.test(result.output)
    ? { name: GENERATE, status: 'done' }
    : failed(GENERATE, result, command)
}
