import { basename, dirname } from 'node:path/posix'
import chalk from 'chalk'
import type { Answers } from '../answers/answers.ts'
import { packageManagerCommands } from '../answers/package-managers.ts'
import { describeVariant } from '../answers/variant.ts'
import type { Project } from '../project/manifest.ts'
import { COMMAND } from '../system/command.ts'
import { UserError } from '../system/errors.ts'
import { visible } from '../system/printing.ts'
import type { Action, UpdateFile } from '../update/files/file.ts'
import type { Update } from '../update/plan/plan.ts'
import type { Outcome } from '../update/transaction.ts'
import { failedOutput, grouped, type Result, toolFailure, toolLines } from './output.ts'
import { jsonPlan, noteLine, releaseLines, shown } from './plan-report.ts'

/** The words of a report, in this order. */
const WORDS: Partial<Record<Action, string>> = {
  create: 'created',
  update: 'updated',
  delete: 'deleted',
  edited: 'edited by you, left alone',
  merge: 'merged with your changes',
  conflict: 'CONFLICT',
  deleted: 'deleted by you, stays deleted',
  yours: 'no longer generated, yours now',
  kept: 'kept as it is',
}
/** Files with these are only counted, the others are named. */
const COUNTED: readonly string[] = ['create', 'update', 'delete', 'edited']

/** An update, `--continue`, `--abort` or `--forget` that ran. */
export interface Ended extends Outcome {
  readonly kind: 'update' | 'continue' | 'abort' | 'forget'
  readonly project: Project
  readonly planned?: Update
}

/** The report of what ran. Its failure is what is left to do. */
export function endResult(ended: Ended): Result {
  const { kind, project, from, to, planned, steps, changedMeanwhile, conflicts } = ended
  const notes = notesOf(ended)
  const commands = next(ended)
  return {
    failure:
      conflicts.length > 0 ? conflictFailure(to, conflicts) : toolFailure(steps, 'The project was updated'),
    text: [
      titleOf(ended),
      ...fileLines(planned?.files ?? []),
      ...changedMeanwhile.map((path) =>
        noteLine(`${path} changed ${kind === 'abort' ? 'since' : 'during'} the update and was kept`),
      ),
      ...notes.map(noteLine),
      ...toolLines(steps),
      ...releaseLines(planned?.release),
      ...failedOutput(steps),
      '',
      ...(commands.length === 0 ? [] : ['Next:', ...commands.map((line) => `  ${chalk.cyan(line)}`), '']),
      ...(planned?.addition ? [planned.addition, ''] : []),
    ].join('\n'),
    members: {
      kind,
      directory: project.path,
      ...(planned ? jsonPlan(planned) : { from, to }),
      notes: notes.map(visible),
      conflicts,
      changedMeanwhile,
      steps,
      next: commands,
    },
  }
}

function titleOf({ kind, to, from, conflicts }: Ended): string {
  const { name } = kind === 'abort' ? from : to
  const variant = describeVariant(to)
  const says = {
    update: conflicts.length > 0 ? `becomes ${variant}` : `is ${variant} now`,
    abort: 'is as it was before the update',
    forget: `has no pending update now and counts as ${variant}. Files that the update wrote stay as they are.`,
  }
  return `${chalk.bold(visible(name))} ${says[kind === 'continue' ? 'update' : kind]}`
}

/** What to do about files with conflicts. */
export function conflictFailure(answers: Answers, conflicts: readonly string[]): UserError {
  // No package manager runs the scripts of a package.json with conflict markers.
  const undo = conflicts.includes('package.json')
    ? `${COMMAND} regenerate --abort`
    : regenerate(answers, '--abort')
  const have = conflicts.length === 1 ? 'has' : 'have'
  return new UserError(
    'conflicts',
    `${conflicts.join(', ')} ${have} conflicts. Resolve them, then run: ${regenerate(answers, '--continue')}. To undo the update, run: ${undo}`,
  )
}

/** What the owner has to know, in text and in JSON. */
function notesOf({ planned, undone }: Ended): readonly string[] {
  const removed = undone?.migrations ?? []
  if (removed.length === 0) return planned?.notes ?? []
  const [are, them] = removed.length === 1 ? ['is', 'it'] : ['are', 'them']
  // Whether a database has run them is not known here.
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
  const commands = open.map(({ name, command }) => command ?? (name === 'install' ? install : ''))
  return [...commands, ...(needsFormat ? [`${run} format`] : []), `${run} check`, `${run} test`]
}

function regenerate({ packageManager }: Answers, flag: string): string {
  const { run, dashes } = packageManagerCommands[packageManager]
  return `${run} regenerate${dashes} ${flag}`
}

function fileLines(files: readonly UpdateFile[]): string[] {
  const byAction = grouped(files, ({ decision }) => decision.action)
  return Object.entries(WORDS).flatMap(([action, word]) => {
    const some = byAction.get(action) ?? []
    if (some.length === 0) return []
    if (!COUNTED.includes(action))
      return some.map((file) => (file.decision.newHome ? `  ${shown(file)}` : `  ${word}: ${shown(file)}`))
    const line = `  ${word}: ${some.length} file${some.length === 1 ? '' : 's'}`
    return action === 'delete' ? [line, ...folderLines(some.map(({ path }) => path))] : [line]
  })
}

/** A line for each folder, with its files, or with how many there are if they do not fit. */
const folderLines = (paths: readonly string[]): string[] =>
  [...grouped(paths, dirname)].map(([folder, inside]) => {
    const names = inside.map((path) => basename(path)).join(', ')
    return visible(`    ${folder}: ${names.length > 60 ? `${inside.length} files` : names}`)
  })
