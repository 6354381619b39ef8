import { randomBytes } from 'node:crypto'
import type { Answers } from '../answers/answers.ts'
import { planOf } from '../blueprints/layers.ts'
import { render } from '../blueprints/render.ts'
import { envWithSecrets } from '../env/secrets.ts'
import { baseText, firstBase } from '../project/base.ts'
import { firstManifest, manifestText } from '../project/manifest.ts'
import { FOLDER, IGNORED_TEXT } from '../project/records.ts'
import type { Files } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { firstCommit } from '../tools/first-commit.ts'
import { install, runnerIn } from '../tools/install.ts'
import { skipped, type ToolRun } from '../tools/tool-run.ts'
import type { Target } from './target.ts'
import { type ProjectFile, writeProject } from './write.ts'

export interface CreateOptions {
  readonly install: boolean
  readonly git: boolean
  /** Renders, but writes and runs nothing. */
  readonly dryRun: boolean
}

export interface Created {
  readonly target: Target
  readonly answers: Answers
  readonly options: CreateOptions
  /** Paths written (or to be written, in a dry run), sorted. */
  readonly files: readonly string[]
  /** Rendered but not written, because the target already has them. */
  readonly kept: readonly string[]
  readonly steps: readonly ToolRun[]
}

const PRIVATE = 0o600

/**
 * Creates a project: answers → plan → render → write → install → first commit.
 * @throws UserError if the project cannot be written, or on an interruption
 */
export async function create(
  system: System,
  target: Target,
  answers: Answers,
  options: CreateOptions,
): Promise<Created> {
  const all = filesOf(render(system.fs, system.blueprints, planOf(answers)), answers)
  const isKept = ({ path }: ProjectFile) => target.kept.some((entry) => `${path}/`.startsWith(`${entry}/`))
  const files = all.filter((file) => !isKept(file))
  if (!options.dryRun) {
    await writeProject(system.fs, target, files, { ...system, unique: randomBytes(6).toString('hex') })
  }
  return {
    target,
    answers,
    options,
    files: files.map(({ path }) => path),
    kept: all.filter(isKept).map(({ path }) => path),
    steps: options.dryRun ? [] : await installAndCommit(system, target.path, answers, options),
  }
}

/**
 * Installs the dependencies and creates a first commit. If one step fails, the other still runs.
 * @throws UserError (interrupted) on Ctrl-C; the written project stays
 */
async function installAndCommit(
  system: System,
  project: string,
  { packageManager }: Answers,
  options: CreateOptions,
): Promise<ToolRun[]> {
  const runInProject = runnerIn(system, project)
  const installed = options.install
    ? await install(system, runInProject, packageManager)
    : skipped('install', '--no-install')
  const committed = options.git
    ? await firstCommit(system, runInProject, project)
    : skipped('git', '--no-git')
  return [installed, committed]
}

function filesOf(rendered: Files, answers: Answers): ProjectFile[] {
  const files: ProjectFile[] = [...rendered].map(([path, text]) => ({ path, text }))
  const example = rendered.get('.env.example')
  // Other users of the machine must not read the secrets (CWE-732).
  if (example !== undefined) files.unshift({ path: '.env', text: envWithSecrets(example), mode: PRIVATE })
  files.push(...records(rendered, answers))
  return files
}

/** The files that `regenerate` compares with later. */
function records(rendered: Files, answers: Answers): ProjectFile[] {
  return [
    { path: `${FOLDER}/.gitignore`, text: IGNORED_TEXT },
    { path: `${FOLDER}/base.json`, text: baseText(firstBase(rendered)) },
    { path: `${FOLDER}/manifest.json`, text: manifestText(firstManifest(answers)) },
  ]
}
