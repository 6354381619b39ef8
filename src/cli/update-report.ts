import chalk from 'chalk'
import type { Answers } from '../answers/answers.ts'
import { packageManagerCommands } from '../answers/package-managers.ts'
import { describeVariant } from '../answers/variant.ts'
import type { Project } from '../project/manifest.ts'
import { EXIT } from '../system/errors.ts'
import { visible } from '../system/printing.ts'
import type { ToolRun } from '../tools/tool-run.ts'
import type { Action, UpdateFile } from '../update/file.ts'
import type { Update } from '../update/plan.ts'
import type { Outcome } from '../update/transaction.ts'
import { diffOf } from './diff.ts'

/** The words of a report, in this order. Files with the first actions are counted, those with the others are listed. */
const COUNTED: Partial<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  edited: 'edited by you, left alone',
}
const NAMED: Partial<Record<Action, string>> = {
  merge: 'merged with your changes',
  conflict: 'CONFLICT',
  deleted: 'deleted by you, stays deleted',
  yours: 'no longer generated, but edited: yours now',
  kept: 'kept as it is',
}

interface Ended extends Outcome {
  readonly kind: 'update' | 'continue' | 'abort'
  readonly project: Project
  readonly planned?: Update
}

/** The error of `--check` if there is something to update. */
export const MUST_ACT = 'The project is not up to date. Run `create-authsmith regenerate`.'

/** The planned update as text; with `diffs`, followed by a unified diff of each file. */
export function planReport(update: Update, project: Project, { diffs }: { diffs: boolean }): string {
  const { from, to, pending } = update
  if (update.isEmpty) return `${named(project, to)}: nothing to do\n${noteLines(update.notes)}`
  const lines = [
    chalk.bold(`${named(project, from)}: would become ${describeVariant(to)}`),
    ...update.files.filter(isReported).map((file) => `  ${file.decision.action.padEnd(9)} ${shown(file)}`),
    noteLines(update.notes),
  ]
  return `${lines.join('\n')}${diffs ? pending.changes.map(diffOf).join('\n') : ''}`
}

/** The planned update as one object, for `--json`. */
export function jsonUpdate(
  update: Update,
  { path }: Project,
  { dryRun, check, mustAct }: { dryRun: boolean; check: boolean; mustAct: boolean },
): object {
  const diffs = new Map(dryRun ? update.pending.changes.map((change) => [change.path, diffOf(change)]) : [])
  return {
    ok: !mustAct,
    exitCode: mustAct ? EXIT.refused : EXIT.done,
    ...(mustAct && {
      error: { code: 'refused', message: MUST_ACT },
    }),
    dryRun,
    check,
    directory: path,
    ...jsonPlan(update),
    files: jsonFiles(update).map((file) => ({
      ...file,
      ...(diffs.has(file.path) && { diff: diffs.get(file.path) }),
    })),
  }
}

/** The result as text, the exit code, and the error if something is left to do. */
export function endReport(ended: Ended): { text: string; exitCode: number; failure: string | undefined } {
  const { kind, to, from, planned, steps, changedMeanwhile, conflicts } = ended
  const now = kind === 'abort' ? from : to
  const title = kind === 'abort' ? 'is as it was before the update' : `is ${describeVariant(now)} now`
  const lines = [
    `${chalk.bold(visible(now.name))} ${conflicts.length > 0 ? `becomes ${describeVariant(now)}` : title}`,
    ...(planned
      ? [...countLines(planned.files), ...nameLines(planned.files), ...planned.notes.map(note)]
      : []),
    ...changedMeanwhile.map((path) => note(`${path} changed during the update and was kept`)),
    ...steps.filter(({ status }) => status !== 'failed').map(stepLine),
    ...steps.flatMap((step) => (step.status === 'failed' ? failedLines(step) : [])),
    '',
    ...(kind === 'abort' ? [] : ['Next:', ...next(ended).map((line) => `  ${chalk.cyan(line)}`), '']),
  ]
  return { text: lines.join('\n'), ...failureOf(ended) }
}

/** The result as one object, for `--json`. */
export function jsonEnd(ended: Ended): object {
  const { exitCode, failure } = failureOf(ended)
  const { kind, project, from, to, planned, conflicts, changedMeanwhile, steps } = ended
  const code = exitCode === EXIT.conflicts ? 'conflicts' : 'failed'
  return {
    ok: exitCode === EXIT.done,
    exitCode,
    ...(failure && { error: { code, message: visible(failure) } }),
    kind,
    directory: project.path,
    ...(planned ? { ...jsonPlan(planned), files: jsonFiles(planned) } : { from, to }),
    conflicts,
    changedMeanwhile,
    steps,
    next: kind === 'abort' ? [] : next(ended),
  }
}

function failureOf({ conflicts, steps, to }: Ended): { exitCode: number; failure: string | undefined } {
  if (conflicts.length > 0) {
    const take = conflicts.includes('package.json') ? `${WITHOUT_SCRIPTS} --abort` : regenerate(to, '--abort')
    const failure = `${conflicts.join(', ')} ${conflicts.length === 1 ? 'has' : 'have'} conflicts. Resolve them, then run: ${regenerate(to, '--continue')}. To undo the update, run: ${take}`
    return { exitCode: EXIT.conflicts, failure }
  }
  const failures = steps.filter(({ status }) => status === 'failed')
  if (failures.length === 0) return { exitCode: EXIT.done, failure: undefined }
  const repeats = failures.map(({ name, command }) => `${name} failed. To repeat it, run: ${command}`)
  return { exitCode: EXIT.failed, failure: `The project was updated, but ${repeats.join('; ')}` }
}

function next({ conflicts, steps, to }: Ended): string[] {
  const { run, install } = packageManagerCommands[to.packageManager]
  if (conflicts.length > 0) return [regenerate(to, '--continue')]
  const open = steps.filter(({ status }) => status !== 'done')
  const commands = open.map(({ name, command }) => (name === 'install' ? install : (command ?? '')))
  return [...commands, `${run} check`, `${run} test`]
}

/** No package manager runs the scripts of a package.json with conflict markers. */
const WITHOUT_SCRIPTS = 'npx create-authsmith@latest regenerate'

function regenerate({ packageManager }: Answers, flag: string): string {
  const { run, dashes } = packageManagerCommands[packageManager]
  return `${run} regenerate${dashes} ${flag}`
}

function jsonPlan({ from, to, former, notes, pending }: Update) {
  return { from, to, former: former ?? null, notes: notes.map(visible), conflicts: pending.conflicts }
}

function jsonFiles({ files }: Update) {
  return files.filter(isReported).map(({ path, decision: { action, detail, newHome } }) => ({
    path,
    action,
    ...(detail && { detail }),
    ...(newHome && { newHome }),
  }))
}

const isReported = ({ decision }: UpdateFile) => decision.action !== 'same'

function countLines(files: readonly UpdateFile[]): string[] {
  return Object.entries(COUNTED).flatMap(([action, word]) => {
    const count = files.filter(({ decision }) => decision.action === action).length
    return count === 0 ? [] : [`  ${word}: ${count} file${count === 1 ? '' : 's'}`]
  })
}

function nameLines(files: readonly UpdateFile[]): string[] {
  return Object.entries(NAMED).flatMap(([action, word]) =>
    files
      .filter(({ decision }) => decision.action === action)
      .map((file) => (file.decision.newHome ? `  ${shown(file)}` : `  ${word}: ${shown(file)}`)),
  )
}

function shown({ path, decision: { detail, newHome } }: UpdateFile): string {
  if (newHome) return visible(`${path}: kept; its code is now in ${newHome}`)
  return visible(detail ? `${path} (${detail})` : path)
}

const note = (text: string) => `  ${visible(text)}`
const noteLines = (notes: readonly string[]) => notes.map((text) => `${note(text)}\n`).join('')

function stepLine({ name, status, detail }: ToolRun): string {
  return `  ${name}: ${status}${detail ? ` (${visible(detail)})` : ''}`
}

function failedLines({ detail = '' }: ToolRun): string[] {
  return detail.split('\n').map((line) => `  ${visible(line)}`)
}

function named({ manifest }: Project, answers: Answers): string {
  return `${visible(manifest.answers.name)} (${describeVariant(answers)})`
}
