import { styleText } from 'node:util'
import type { Answers } from './answers.ts'
import { diffOf } from './diff.ts'
import { EXIT } from './errors.ts'
import { visible } from './escape.ts'
import type { Project } from './manifest.ts'
import type { Action, Decision } from './merge.ts'
import { packageManagerCommands } from './package-managers.ts'
import type { Update } from './plan-update.ts'
import type { Outcome } from './regenerate.ts'
import type { Step } from './step.ts'

/** What a report says of files, in its order. Those of the first kind are counted, the others are named. */
const COUNTED: Partial<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  edited: 'edited by you, left alone',
}
const NAMED: Partial<Record<Action, string>> = {
  merge: 'merged with your changes',
  conflict: 'CONFLICT',
  deleted: 'changed, but you deleted it: stays deleted',
  yours: 'no longer generated, but edited: yours now',
  kept: 'kept as it is',
}

interface Ended extends Outcome {
  readonly kind: 'update' | 'continue' | 'abort'
  readonly project: Project
  readonly planned?: Update
}

/** What `--check` says where there is something to do. */
export const MUST_ACT = 'the project differs from its answers; run regenerate'

/** What would be done, for people; with a unified diff of each file where `diffs`. */
export function planReport(update: Update, project: Project, { diffs }: { diffs: boolean }): string {
  const { from, to, pending } = update
  if (update.isEmpty) return `${named(project, to)}: nothing to do\n${noteLines(update.notes)}`
  const lines = [
    styleText('bold', `${named(project, from)}: would become ${described(to)}`),
    ...update.decisions
      .filter(isReported)
      .map((decision) => `  ${decision.action.padEnd(9)} ${shown(decision)}`),
    noteLines(update.notes),
  ]
  return `${lines.join('\n')}${diffs ? pending.changes.map(diffOf).join('\n') : ''}`
}

/** The same as one object, for `--json`. */
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

/** What was done, for people; and where something is left to do, the exit code and the line that says what. */
export function endReport(ended: Ended): { text: string; exitCode: number; failure: string | undefined } {
  const { kind, to, from, planned, steps, changedMeanwhile, conflicts } = ended
  const now = kind === 'abort' ? from : to
  const title = kind === 'abort' ? 'is as it was before the update' : `is ${described(now)} now`
  const lines = [
    `${styleText('bold', visible(now.name))} ${conflicts.length > 0 ? `becomes ${described(now)}` : title}`,
    ...(planned
      ? [...countLines(planned.decisions), ...nameLines(planned.decisions), ...planned.notes.map(note)]
      : []),
    ...changedMeanwhile.map((path) => note(`${path} changed meanwhile, and is kept as it is`)),
    ...steps.filter(({ status }) => status !== 'failed').map(stepLine),
    ...steps.flatMap((step) => (step.status === 'failed' ? failedLines(step) : [])),
    '',
    ...(kind === 'abort' ? [] : ['Next:', ...next(ended).map((line) => `  ${styleText('cyan', line)}`), '']),
  ]
  return { text: lines.join('\n'), ...failureOf(ended) }
}

/** The same as one object, for `--json`. */
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
    const failure = `${conflicts.join(', ')} ${conflicts.length === 1 ? 'has' : 'have'} conflicts: solve them, then ${regenerate(to, '--continue')}; or take the update back with ${take}`
    return { exitCode: EXIT.conflicts, failure }
  }
  const failures = steps.filter(({ status }) => status === 'failed')
  if (failures.length === 0) return { exitCode: EXIT.done, failure: undefined }
  const repeats = failures.map(({ name, command }) => `${name} failed; repeat it with: ${command}`)
  return { exitCode: EXIT.failed, failure: `the project is updated, but ${repeats.join('; ')}` }
}

function next({ conflicts, steps, to }: Ended): string[] {
  const { run, install } = packageManagerCommands[to.packageManager]
  if (conflicts.length > 0) return [regenerate(to, '--continue')]
  const open = steps.filter(({ status }) => status !== 'done')
  const commands = open.map(({ name, command }) => (name === 'install' ? install : (command ?? '')))
  return [...commands, `${run} check`, `${run} test`]
}

/** Where package.json holds markers, no package manager runs its scripts. */
const WITHOUT_SCRIPTS = 'npx create-authsmith@latest regenerate'

function regenerate({ packageManager }: Answers, flag: string): string {
  const { run, dashes } = packageManagerCommands[packageManager]
  return `${run} regenerate${dashes} ${flag}`
}

function jsonPlan({ from, to, notes, pending }: Update) {
  return { from, to, notes: notes.map(visible), conflicts: pending.conflicts }
}

function jsonFiles({ decisions }: Update) {
  return decisions
    .filter(({ action }) => action !== 'same')
    .map(({ path, action, detail }) => ({ path, action, ...(detail && { detail }) }))
}

const isReported = ({ action }: Decision) => action !== 'same'

function countLines(decisions: readonly Decision[]): string[] {
  return Object.entries(COUNTED).flatMap(([action, word]) => {
    const count = decisions.filter((decision) => decision.action === action).length
    return count === 0 ? [] : [`  ${word}: ${count} file${count === 1 ? '' : 's'}`]
  })
}

function nameLines(decisions: readonly Decision[]): string[] {
  return Object.entries(NAMED).flatMap(([action, word]) =>
    decisions
      .filter((decision) => decision.action === action)
      .map((decision) => `  ${word}: ${shown(decision)}`),
  )
}

function shown({ path, detail }: Decision): string {
  return visible(detail ? `${path} (${detail})` : path)
}

const note = (text: string) => `  ${visible(text)}`
const noteLines = (notes: readonly string[]) => notes.map((text) => `${note(text)}\n`).join('')

function stepLine({ name, status, detail }: Step): string {
  return `  ${name}: ${status}${detail ? ` (${visible(detail)})` : ''}`
}

function failedLines({ detail = '' }: Step): string[] {
  return detail.split('\n').map((line) => `  ${visible(line)}`)
}

function named({ manifest }: Project, answers: Answers): string {
  return `${visible(manifest.answers.name)} (${described(answers)})`
}

function described({ mode, profile, database }: Answers): string {
  return [mode, profile, database].filter(Boolean).join(', ')
}
