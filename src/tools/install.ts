import { join, relative } from 'node:path'
import { type PackageManager, packageManagerCommands } from '../answers/package-managers.ts'
import { interrupted } from '../system/errors.ts'
import { type FileSystem, foldersFrom } from '../system/file-system.ts'
import { shellWord } from '../system/printing.ts'
import type { System } from '../system/system.ts'
import { failed, type RunInProject, type ToolRun } from './tool-run.ts'

/**
 * @param toFinish the commands that the user runs after an interruption
 * @returns a function that runs programs in the project, and throws UserError (interrupted) on an interruption
 */
export const runnerIn =
  (system: System, project: string, toFinish: string): RunInProject =>
  async (program, args, env) => {
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

/** A module that is compiled if no prebuilt file can be downloaded. */
const COMPILED = 'better-sqlite3'

/** For the development dependencies and a lock file, whatever CI or a configuration of the user says. */
const FLAGS: Record<PackageManager, readonly string[]> = {
  npm: ['--include=dev', '--package-lock', '--save'],
  pnpm: ['--prod=false', '--lockfile', '--no-frozen-lockfile'],
  yarn: ['--no-immutable'],
  bun: ['--save-text-lockfile'],
}

/**
 * Runs the package manager's install command.
 * @returns `failed` also if a configuration of the user keeps the driver from being built, or a lock file from being written
 */
export async function install(
  system: System,
  runInProject: RunInProject,
  project: string,
  packageManager: PackageManager,
): Promise<ToolRun> {
  const { fs } = system
  const { install: command, lockfile } = packageManagerCommands[packageManager]
  const built = (file: string) => fs.existsSync(join(project, 'node_modules', COMPILED, 'build', file))
  const done = system.progress(() => {
    // node-gyp writes the first file before it compiles, and the second one last.
    const isCompiling = built('config.gypi') && !built('Release/better_sqlite3.node')
    const reason = `because no prebuilt file for Node.js ${system.nodeVersion} could be downloaded`
    return `Running ${command}${isCompiling ? `: compiling ${COMPILED}, ${reason}` : ''}`
  })
  // By default, node-gyp uses one core. With NODE_ENV=production, no development dependency is installed.
  const env = { JOBS: system.env.JOBS ?? 'max', NODE_ENV: undefined }
  const result = await runInProject(packageManager, ['install', ...FLAGS[packageManager]], env).finally(done)
  if (!result.ok) return failed('install', result, command)
  const file = join(project, 'Dockerfile')
  const isNeeded = fs.existsSync(file) && fs.readFileSync(file, 'utf8').includes(lockfile)
  const output = `${packageManager} wrote no ${lockfile}, which Dockerfile and CI need. Remove the setting that turns it off`
  if (isNeeded && !fs.existsSync(join(project, lockfile)))
    return failed('install', { ok: false, output }, command)
  return unbuilt(fs, project) ?? { name: 'install', status: 'done' }
}

/** A configuration of the user may keep the driver from being built: the project would not start. */
function unbuilt(fs: FileSystem, project: string): ToolRun | undefined {
  const manifest = fs.readFileSync(join(project, 'package.json'), 'utf8')
  const driver = manifest.includes(`"${COMPILED}"`) ? installedAt(fs, project, COMPILED) : undefined
  if (driver === undefined || !fs.existsSync(join(driver, 'binding.gyp'))) return undefined
  if (['build/Release', 'prebuilds'].some((folder) => fs.existsSync(join(driver, folder)))) return undefined
  return {
    name: 'install',
    status: 'failed',
    detail: `${COMPILED} is not built, because ignore-scripts is set`,
    command: `npm --prefix ${shellWord(relative(project, driver).replaceAll('\\', '/'))} run install`,
  }
}

/** The folder of an installed package, which may be that of a workspace above the project. */
export const installedAt = (fs: FileSystem, project: string, name: string): string | undefined =>
  foldersFrom(project)
    .map((folder) => join(folder, 'node_modules', name))
    .find((folder) => fs.existsSync(folder))
