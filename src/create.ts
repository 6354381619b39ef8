import { randomBytes } from 'node:crypto'
import { type AfterOptions, afterSteps } from './after.ts'
import type { Answers } from './answers.ts'
import { baseText, firstBase } from './base.ts'
import { envWithSecrets } from './env.ts'
import { firstManifest, manifestText } from './manifest.ts'
import { FOLDER, IGNORED_TEXT } from './own-files.ts'
import { planOf } from './plan.ts'
import { type Rendered, render } from './render.ts'
import type { Step } from './step.ts'
import type { Target } from './target.ts'
import type { World } from './world.ts'
import { type ProjectFile, writeProject } from './write.ts'

export interface CreateOptions extends AfterOptions {
  /** Renders, but writes and runs nothing. */
  readonly dryRun: boolean
}

export interface Created {
  readonly target: Target
  readonly answers: Answers
  readonly options: CreateOptions
  /** Paths written (or to be written, in a dry run), sorted. */
  readonly files: readonly string[]
  /** Rendered, but not written: the target had its own. */
  readonly kept: readonly string[]
  readonly steps: readonly Step[]
}

const PRIVATE = 0o600

/** answers → plan → render → write → after-steps. Errors as these steps throw them. */
export async function create(
  world: World,
  target: Target,
  answers: Answers,
  options: CreateOptions,
): Promise<Created> {
  const all = filesOf(render(world.fs, world.blueprints, planOf(answers)), answers)
  const isKept = ({ path }: ProjectFile) => target.kept.some((entry) => `${path}/`.startsWith(`${entry}/`))
  const files = all.filter((file) => !isKept(file))
  if (!options.dryRun) {
    await writeProject(world.fs, target, files, { ...world, unique: randomBytes(6).toString('hex') })
  }
  return {
    target,
    answers,
    options,
    files: files.map(({ path }) => path),
    kept: all.filter(isKept).map(({ path }) => path),
    steps: options.dryRun ? [] : await afterSteps(world, target.path, answers, options),
  }
}

function filesOf(rendered: Rendered, answers: Answers): ProjectFile[] {
  const files: ProjectFile[] = [...rendered].map(([path, text]) => ({ path, text }))
  const example = rendered.get('.env.example')
  // Only the owner may read the secrets, on a machine with other users too.
  if (example !== undefined) files.unshift({ path: '.env', text: envWithSecrets(example), mode: PRIVATE })
  files.push(...ownFiles(rendered, answers))
  return files
}

/** What `regenerate` compares with later. */
function ownFiles(rendered: Rendered, answers: Answers): ProjectFile[] {
  return [
    { path: `${FOLDER}/.gitignore`, text: IGNORED_TEXT },
    { path: `${FOLDER}/base.json`, text: baseText(firstBase(rendered)) },
    { path: `${FOLDER}/manifest.json`, text: manifestText(firstManifest(answers)) },
  ]
}
