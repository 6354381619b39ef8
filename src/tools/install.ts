import { join } from 'node:path'
import { type PackageManager, packageManagerCommands } from '../answers/package-managers.ts'
import { interrupted } from '../system/errors.ts'
import type { System } from '../system/system.ts'
import { failed, type RunInProject, type ToolRun } from './tool-run.ts'

/**
 * @param toFinish the commands that the user runs after an interruption
 * @returns a function that runs programs in the project, and throws UserError (interrupted) on an interruption
 */
export function runnerIn(system: System, project: string, toFinish: string): RunInProject {
  return async (program, args, env) => {
    const result = await system.run(program, args, {
      cwd: project,
      signal: system.signal,
      ...(env && { env }),
    })
    if (!system.signal.aborted && !result.interrupted) return result
    throw interrupted(
      `Interrupted while ${program} was running. The project is complete and stays at ${project}. To finish, run: ${toFinish}`,
    )
  }
}

/** A module that is compiled if no prebuilt file can be downloaded. */
const COMPILED = 'better-sqlite3'

/**
 * Runs the package manager's install command.
 * @param flags more flags for it
 */
export async function install(
  system: System,
  runInProject: RunInProject,
  project: string,
  packageManager: PackageManager,
  flags: readonly string[] = [],
): Promise<ToolRun> {
  const command = packageManagerCommands[packageManager].install
  const built = (file: string) => system.fs.existsSync(join(project, 'node_modules', COMPILED, 'build', file))
  const done = system.progress(() => {
    // node-gyp writes the first file before it compiles, and the second one last.
    const isCompiling = built('config.gypi') && !built('Release/better_sqlite3.node')
    const reason = `because no prebuilt file for Node.js ${system.nodeVersion} could be downloaded`
    return `Running ${command}${isCompiling ? `: compiling ${COMPILED}, ${reason}` : ''}`
  })
  // By default, node-gyp uses one core.
  const env = { JOBS: system.env.JOBS ?? 'max' }
  const result = await runInProject(packageManager, ['install', ...flags], env).finally(done)
  return result.ok ? { name: 'install', status: 'done' } : failed('install', result, command)
}
