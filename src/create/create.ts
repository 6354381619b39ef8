import { randomBytes } from 'node:crypto'
import type { Answers } from '../answers/answers.ts'
import { packageManagerCommands } from '../answers/package-managers.ts'
import { planOf } from '../blueprints/layers.ts'
import { envWithSecrets } from '../env/secrets.ts'
import { projectFiles } from '../migrations/project-files.ts'
import { baseText, firstBase } from '../project/base.ts'
import { firstManifest, manifestText } from '../project/manifest.ts'
import { FOLDER, IGNORED_TEXT } from '../project/records.ts'
import type { Files } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { COMMIT_COMMAND, firstCommit } from '../tools/first-commit.ts'
import { isVersioned } from '../tools/git.ts'
import { install, runnerIn } from '../tools/install.ts'
import { skipped, type ToolRun } from '../tools/tool-run.ts'
import { filesFor, workspaceNotes } from '../tools/workspace.ts'
import { enter, type Place, type Target } from './target.ts'
import { markFinished, markUnfinished } from './unfinished.ts'
import { type ProjectFile, writeProject } from './write.ts'

export interface CreateOptions {
  readonly install: boolean
  readonly git: boolean
  /** Renders, but writes and runs nothing. */
  readonly dryRun: boolean
}

/** What was written, or would be in a dry run. */
export interface Written {
  readonly target: Place
  readonly answers: Answers
  readonly options: CreateOptions
  /** Paths written, sorted. Empty if the files of an unfinished project were there. */
  readonly files: readonly string[]
  /** Rendered but not written, because the target already has them. */
  readonly kept: readonly string[]
  /** What differs in a workspace. */
  readonly notes: readonly string[]
}

export interface Created extends Written {
  readonly steps: readonly ToolRun[]
}

/** Creates a project: answers → plan → render → write. @throws UserError if that fails, or on an interruption */
export async function write(
  system: System,
  target: Target,
  answers: Answers,
  options: CreateOptions,
): Promise<Written> {
  const rendered = projectFiles(system.fs, system.blueprints, planOf(answers))
  const { packageManager } = answers
  const all = filesOf(filesFor(system.fs, target.path, packageManager, rendered), answers)
  const isKept = ({ path }: ProjectFile) => target.kept.some((entry) => `${path}/`.startsWith(`${entry}/`))
  const files = all.filter((file) => !isKept(file))
  if (!options.dryRun) await writeProject(system, target, files, randomBytes(6).toString('hex'))
  return {
    target,
    answers,
    options,
    files: files.map(({ path }) => path),
    kept: all.filter(isKept).map(({ path }) => path),
    notes: workspaceNotes(system.fs, target.path, packageManager, rendered),
  }
}

/**
 * Finishes a written project: installs the dependencies and creates a first commit. If one step fails, the other still
 * runs.
 * @throws UserError (interrupted) that names the commands which finish it
 */
export async function finish(system: System, written: Written): Promise<Created> {
  const { target, options } = written
  if (options.dryRun) return { ...written, steps: [] }
  const { packageManager } = written.answers
  markUnfinished(system.fs, target.path, system.pid)
  const runThen = (...commands: string[]) =>
    runnerIn(system, target.path, [...enter(target.directory), ...commands].join(' && '))
  const { install: command } = packageManagerCommands[packageManager]
  const isCommitted = !options.git || (await isVersioned(system, runThen(command), target.path))
  const commit = isCommitted ? [] : [COMMIT_COMMAND]
  const installed = options.install
    ? await install(system, runThen(command, ...commit), target.path, packageManager)
    : skipped('install', '--no-install')
  const committed = options.git
    ? await firstCommit(system, runThen(...commit), target.path)
    : skipped('git', '--no-git')
  if (installed.status !== 'failed') markFinished(system.fs, target.path)
  return { ...written, steps: [installed, committed] }
}

function filesOf(rendered: Files, answers: Answers): ProjectFile[] {
  const example = rendered.get('.env.example')
  return [
    // Other users of the machine must not read the secrets (CWE-732).
    ...(example === undefined ? [] : [{ path: '.env', text: envWithSecrets(example), mode: 0o600 }]),
    ...[...rendered].map(([path, text]) => ({ path, text })),
    // What `regenerate` compares with later.
    { path: `${FOLDER}/.gitignore`, text: IGNORED_TEXT },
    { path: `${FOLDER}/base.json`, text: baseText(firstBase(rendered)) },
    { path: `${FOLDER}/manifest.json`, text: manifestText(firstManifest(answers)) },
  ]
}
