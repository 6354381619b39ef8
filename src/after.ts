import { dirname, join } from 'node:path'
import type { Answers } from './answers.ts'
import { interrupted } from './errors.ts'
import { packageManagerCommands } from './package-managers.ts'
import type { RunOptions } from './run.ts'
import type { World } from './world.ts'

export interface Step {
  readonly name: 'install' | 'git'
  readonly status: 'done' | 'skipped' | 'failed'
  /** Why it was skipped, or the end of what the failed program said. */
  readonly detail?: string
  /** Repeats the step, inside the project. */
  readonly command?: string
}

export interface AfterOptions {
  readonly install: boolean
  readonly git: boolean
}

const COMMIT_MESSAGE = 'Initial commit'
const OUTPUT_LINES = 15

/**
 * What comes after the files: installing the dependencies, then a first commit. A step that fails leaves the project
 * as it is and does not stop the next one.
 * @throws UserError (interrupted) on Ctrl-C; the project is whole then and stays
 */
export async function afterSteps(
  world: World,
  project: string,
  answers: Answers,
  options: AfterOptions,
): Promise<Step[]> {
  const steps = [
    await install(world, project, answers, options.install),
    await firstCommit(world, project, options.git),
  ]
  return steps
}

async function install(world: World, project: string, answers: Answers, wanted: boolean): Promise<Step> {
  const command = packageManagerCommands[answers.packageManager].install
  if (!wanted) return { name: 'install', status: 'skipped', detail: '--no-install', command }
  const done = world.progress(`Installing with ${answers.packageManager}`)
  const result = await runStep(world, project, answers.packageManager, ['install']).finally(done)
  if (result.ok) return { name: 'install', status: 'done', command }
  return { name: 'install', status: 'failed', detail: lastLines(result.output), command }
}

async function firstCommit(world: World, project: string, wanted: boolean): Promise<Step> {
  const skipped = (detail: string): Step => ({ name: 'git', status: 'skipped', detail })
  if (!wanted) return skipped('--no-git')
  if (isInRepository(world, project)) return skipped('already inside a git repository')
  const git = (...args: string[]) => runStep(world, project, 'git', args, gitEnvironment(world.env))
  // Asks for the identity that a commit would get, without git's guess from the host's name.
  const identity = await git('-c', 'user.useConfigOnly=true', 'var', 'GIT_COMMITTER_IDENT')
  if (!identity.ok) return skipped('git is missing or has no user.name and user.email')
  for (const args of [
    ['init', '--quiet'],
    ['add', '--all'],
    // No hook or signing key of the user's may ask for anything: nobody answers here.
    [
      '-c',
      'maintenance.auto=false',
      'commit',
      '--quiet',
      '--no-verify',
      '--no-gpg-sign',
      '-m',
      COMMIT_MESSAGE,
    ],
  ]) {
    const result = await git(...args)
    if (!result.ok) {
      const command = `git init && git add --all && git commit -m "${COMMIT_MESSAGE}"`
      return { name: 'git', status: 'failed', detail: lastLines(result.output), command }
    }
  }
  return { name: 'git', status: 'done' }
}

async function runStep(world: World, cwd: string, program: string, args: string[], env?: RunOptions['env']) {
  const result = await world.run(program, args, { cwd, signal: world.signal, ...(env ? { env } : {}) })
  if (world.signal.aborted)
    throw interrupted(`interrupted during ${program} ${args[0]}; the project is whole and stays`)
  return result
}

function isInRepository({ fs }: World, folder: string): boolean {
  if (fs.existsSync(join(folder, '.git'))) return true
  const parent = dirname(folder)
  return parent !== folder && isInRepository({ fs } as World, parent)
}

/** Inside a git hook these variables point at the caller's repository: the first commit must not go there. */
function gitEnvironment(env: World['env']): Record<string, undefined> {
  const foreign = Object.keys(env).filter((name) =>
    /^GIT_(DIR|WORK_TREE|INDEX_FILE|OBJECT_DIRECTORY|COMMON_DIR|NAMESPACE|PREFIX)$/.test(name),
  )
  return Object.fromEntries(foreign.map((name) => [name, undefined]))
}

function lastLines(output: string): string {
  return output.trim().split('\n').slice(-OUTPUT_LINES).join('\n')
}
