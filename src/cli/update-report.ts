import { basename, dirname } from 'node:path/posix'
import chalk from 'chalk'
import type { Answers } from '../answers/answers.ts'
import { packageManagerCommands } from '../answers/package-managers.ts'
import { describeVariant } from '../answers/variant.ts'
import type { Project } from '../project/manifest.ts'
import { EXIT } from '../system/errors.ts'
import { visible } from '../system/printing.ts'
import type { Outcome } from '../update/journal/transaction.ts'
import type { Action, UpdateFile } from '../update/plan/file.ts'
import type { Update } from '../update/plan/plan.ts'
import { failedOutput, toolFailure, toolLines } from './output.ts'
import { jsonPlan, noteLine, releaseLines, shown } from './plan-report.ts'

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
  yours: 'no longer generated, yours now',
  kept: 'kept as it is',
}

/** An update, `--continue`, `--abort` or `--forget` that ran. */
export interface Ended extends Outcome {
  readonly kind: 'update' | 'continue' | 'abort' | 'forget'
  readonly project: Project
  readonly planned?: Update
}

/** The result as text. */
export function endReport(ended: Ended): string {
  const { kind, to, from, planned, steps, changedMeanwhile, conflicts } = ended
  if (kind === 'forget')
    return `${chalk.bold(visible(to.name))} has no pending update now and counts as ${describeVariant(to)}. Files that the update wrote stay as they are.\n`
  const now = kind === 'abort' ? from : to
  const title = kind === 'abort' ? 'is as it was before the update' : `is ${describeVariant(now)} now`
  const lines = [
    `${chalk.bold(visible(now.name))} ${conflicts.length > 0 ? `becomes ${describeVariant(now)}` : title}`,
    ...(planned ? [...countLines(planned.files), ...nameLines(planned.files)] : []),
    ...changedMeanwhile.map((path) =>
      noteLine(`${path} changed ${kind === 'abort' ? 'since' : 'during'} the update and was kept`),
    ),
    ...notesOf(ended).map(noteLine),
    ...toolLines(steps),
    ...releaseLines(planned?.release),
    ...failedOutput(steps),
    '',
    ...(next(ended).length === 0 ? [] : ['Next:', ...next(ended).map((line) => `  ${chalk.cyan(line)}`), '']),
  ]
  return lines.join('\n')
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
    ...(planned ? jsonPlan(planned) : { from, to }),
    notes: notesOf(ended).map(visible),
    conflicts,
    changedMeanwhile,
    steps,
    next: next(ended),
  }
}

/** The exit code, and the error if something is left to do. */
export function failureOf({ conflicts, steps, to }: Ended): {
  exitCode: number
  failure: string | undefined
} {
  if (conflicts.length > 0) return { exitCode: EXIT.conflicts, failure: conflictFailure(to, conflicts) }
  const failure = toolFailure(steps)
  return failure === undefined
    ? { exitCode: EXIT.done, failure }
    : { exitCode: EXIT.failed, failure: `The project was updated, but ${failure}` }
}

/** What to do about files with conflicts. */
export function conflictFailure(answers: Answers, conflicts: readonly string[]): string {
  const take = conflicts.includes('package.json')
    ? `${WITHOUT_SCRIPTS} --abort`
    : regenerate(answers, '--abort')
  return `${conflicts.join(', ')} ${conflicts.length === 1 ? 'has' : 'have'} conflicts. Resolve them, then run: ${regenerate(answers, '--continue')}. To undo the update, run: ${take}`
}

/** What the owner has to know, in text and in JSON. */
function notesOf({ planned, undone }: Ended): string[] {
  return [...(planned?.notes ?? []), ...removedNotes(undone?.migrations ?? [])]
}

/** Whether a database has run the migrations is not known here. */
function removedNotes(removed: readonly string[]): string[] {
  if (removed.length === 0) return []
  const [are, them] = removed.length === 1 ? ['is', 'it'] : ['are', 'them']
  return [
    `${removed.join(', ')} ${are} removed. If the service or db:migrate ran since the update, the database has ${them}: to undo that, restore a backup`,
  ]
}

function next({ kind, conflicts, steps, from, to, needsFormat, undone }: Ended): string[] {
  if (kind === 'forget') return []
  if (kind === 'abort')
    return undone?.needsInstall ? [packageManagerCommands[from.packageManager].install] : []
  const { run, install } = packageManagerCommands[to.packageManager]
  if (conflicts.length > 0) return [regenerate(to, '--continue')]
  const open = steps.filter(({ status }) => status !== 'done')
  const commands = open.map(({ name, command }) => (name === 'install' ? install : (command ?? '')))
  return [...commands, ...(needsFormat ? [`${run} format`] : []), `${run} check`, `${run} test`]
}

/** No package manager runs the scripts of a package.json with conflict markers. */
const WITHOUT_SCRIPTS = 'npx create-authsmith@latest regenerate'

function regenerate({ packageManager }: Answers, flag: string): string {
  const { run, dashes } = packageManagerCommands[packageManager]
  return `${run} regenerate${dashes} ${flag}`
}

function countLines(files: readonly UpdateFile[]): string[] {
  return Object.entries(COUNTED).flatMap(([action, word]) => {
    const paths = files.filter(({ decision }) => decision.action === action).map(({ path }) => path)
    if (paths.length === 0) return []
    const line = `  ${word}: ${paths.length} file${paths.length === 1 ? '' : 's'}`
    return action === 'delete' ? [line, ...folderLines(paths)] : [line]
  })
}

/** A line for each folder, with its files. */
function folderLines(paths: readonly string[]): string[] {
  const folders = new Map<string, string[]>()
  for (const path of paths) {
    const names = folders.get(dirname(path)) ?? []
    folders.set(dirname(path), [...names, basename(path)])
  }
  return [...folders].map(([folder, names]) => visible(`    ${folder}: ${names.join(', ')}`))
}

function nameLines(files: readonly UpdateFile[]): string[] {
  return Object.entries(NAMED).flatMap(([action, word]) =>
    files
      .filter(({ decision }) => decision.action === action)
      .map((file) => (file.decision.newHome ? `  ${shown(file)}` : `  ${word}: ${shown(file)}`)),
  )
}
