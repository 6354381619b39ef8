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

/** Runs programs in the project; an interruption is an error that says so. */
export function runnerIn(world: World, project: string): RunInProject {
  return async (program, args, env) => {
    const result = await world.run(program, args, { cwd: project, signal: world.signal, ...(env && { env }) })
    if (!world.signal.aborted && !result.interrupted) return result
    throw interrupted(`interrupted while ${program} ran; the project is whole and stays at ${project}`)
  }
}

/** @param flags for `install`, beside what everybody types */
export async function install(
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
