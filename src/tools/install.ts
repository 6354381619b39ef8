import { type PackageManager, packageManagerCommands } from '../answers/package-managers.ts'
import { interrupted } from '../system/errors.ts'
import type { System } from '../system/system.ts'
import { failed, type RunInProject, type ToolRun } from './tool-run.ts'

/** @returns a function that runs programs in the project, and throws UserError (interrupted) on an interruption */
export function runnerIn(system: System, project: string): RunInProject {
  return async (program, args, env) => {
    const result = await system.run(program, args, {
      cwd: project,
      signal: system.signal,
      ...(env && { env }),
    })
    if (!system.signal.aborted && !result.interrupted) return result
    throw interrupted(
      `Interrupted while ${program} was running. The project is complete and stays at ${project}.`,
    )
  }
}

/**
 * Runs the package manager's install command.
 * @param flags more flags for it
 */
export async function install(
  system: System,
  runInProject: RunInProject,
  packageManager: PackageManager,
  flags: readonly string[] = [],
): Promise<ToolRun> {
  const command = packageManagerCommands[packageManager].install
  const done = system.progress(`Installing with ${packageManager}; this can take a minute`)
  const result = await runInProject(packageManager, ['install', ...flags]).finally(done)
  return result.ok ? { name: 'install', status: 'done' } : failed('install', result, command)
}
