import { join } from 'node:path'
import type { Answers } from './answers.ts'
import { interrupted } from './errors.ts'
import { firstCommit } from './first-commit.ts'
import { type PackageManager, packageManagerCommands } from './package-managers.ts'
import { failed, type RunInProject, type Step, skipped } from './step.ts'
import type { World } from './world.ts'

export interface AfterOptions {
  readonly install: boolean
  readonly git: boolean
}

/**
 * What comes after the files: installing the dependencies, then a first commit. A step that fails leaves the
 * project as it is and does not stop the next one.
 * @param project absolute path of the project
 * @throws UserError (interrupted) on Ctrl-C; the project is whole then and stays
 */
export async function afterSteps(
  world: World,
  project: string,
  answers: Answers,
  options: AfterOptions,
): Promise<Step[]> {
  const runInProject = runnerIn(world, project)
  const installed = options.install
    ? await install(world, runInProject, answers.packageManager)
    : skipped('install', '--no-install')
  const committed = options.git ? await firstCommit(world, runInProject, project) : skipped('git', '--no-git')
  return [installed, committed]
}

/** What comes after an update: installing what package.json names now, then the migration of the owner's own tables. */
export async function afterUpdate(
  world: World,
  project: string,
  { packageManager }: Answers,
  wanted: { readonly install: Step | undefined; readonly generate: boolean },
): Promise<Step[]> {
  const runInProject = runnerIn(world, project)
  const installed =
    wanted.install ?? (await install(world, runInProject, packageManager, CHANGES_LOCKFILE[packageManager]))
  if (!wanted.generate) return [installed]
  const { run, dashes } = packageManagerCommands[packageManager]
  const command = `${run} ${GENERATE}${dashes} --name own_tables`
  if (installed.status !== 'done' && !world.fs.existsSync(join(project, 'node_modules'))) {
    return [installed, { ...skipped(GENERATE, 'nothing is installed yet'), command }]
  }
  const done = world.progress('Writing the migration of your own tables')
  const result = await runInProject(packageManager, command.split(' ').slice(1)).finally(done)
  return [
    installed,
    result.ok && GENERATED.test(result.output)
      ? { name: GENERATE, status: 'done' }
      : failed(GENERATE, result, command),
  ]
}

/** With CI set, pnpm and Yarn refuse to change a lock file, unless they are told to. */
const CHANGES_LOCKFILE: Partial<Record<PackageManager, readonly string[]>> = {
  pnpm: ['--no-frozen-lockfile'],
  yarn: ['--no-immutable'],
}

const GENERATE = 'db:generate'
/** Drizzle Kit asks about what might be a rename; without a terminal it fails, and yet exits with 0. */
const GENERATED = /No schema changes|SQL migration file/

function runnerIn(world: World, project: string): RunInProject {
  return async (program, args, env) => {
    const result = await world.run(program, args, { cwd: project, signal: world.signal, ...(env && { env }) })
    if (!world.signal.aborted && !result.interrupted) return result
    throw interrupted(`interrupted while ${program} ran; the project is whole and stays at ${project}`)
  }
}

async function install(
  world: World,
  runInProject: RunInProject,
  packageManager: PackageManager,
  flags: readonly string[] = [],
): Promise<Step> {
  const command = packageManagerCommands[packageManager].install
  const done = world.progress(`Installing with ${packageManager}; this can take a minute`)
  const result = await runInProject(packageManager, ['install', ...flags]).finally(done)
  return result.ok ? { name: 'install', status: 'done' } : failed('install', result, command)
}
