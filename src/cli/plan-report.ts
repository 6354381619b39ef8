import chalk from 'chalk'
import type { Answers } from '../answers/answers.ts'
import { describeVariant } from '../answers/variant.ts'
import type { Project } from '../project/manifest.ts'
import { EXIT } from '../system/errors.ts'
import { visible } from '../system/printing.ts'
import type { UpdateFile } from '../update/plan/file.ts'
import type { Update } from '../update/plan/plan.ts'
import type { Release } from '../update/plan/release.ts'
import { diffOf, sizeOf } from './diff.ts'

/** The error of `--check` if there is something to update. */
export const MUST_ACT = 'The project is not up to date. Run `create-authsmith regenerate`.'

/** The diff of each file that a planned update changes, by its path. */
export type Diffs = ReadonlyMap<string, string>

export const diffsOf = ({ pending }: Update): Diffs =>
  new Map(pending.changes.map((change) => [change.path, diffOf(change)]))

/**
 * The planned update as text: a line for each file, then the summary.
 * @param diffs the diffs of the files whose sizes are shown: how many lines a file gains and loses
 */
export function planReport(update: Update, project: Project, diffs: Diffs): string {
  const { from, to, notes } = update
  const noted = notes.map(noteLine)
  if (update.isEmpty) return [`${named(project, to)}: nothing to do`, ...noted, ''].join('\n')
  const files = update.files.filter(isReported)
  return [
    ...files.map((file) => {
      const diff = diffs.get(file.path)
      return `  ${file.decision.action.padEnd(9)} ${shown(file)}${diff ? `  ${chalk.dim(sizeOf(diff))}` : ''}`
    }),
    ...noted,
    ...releaseLines(update.release),
    '',
    chalk.bold(`${named(project, from)}: would become ${describeVariant(to)}`),
    `  ${counted(files)}. Nothing was changed.`,
    '',
  ].join('\n')
}

/** How many files each action concerns, such as "create 12, update 3". */
function counted(files: readonly UpdateFile[]): string {
  const counts = new Map<string, number>()
  for (const { decision } of files) counts.set(decision.action, (counts.get(decision.action) ?? 0) + 1)
  return [...counts].map(([action, count]) => `${action} ${count}`).join(', ')
}

/** The planned update as one object, for `--json`. */
export function jsonUpdate(
  update: Update,
  { path }: Project,
  { dryRun, check, diffs }: { dryRun: boolean; check: boolean; diffs: Diffs },
): object {
  const mustAct = check && !update.isEmpty
  const { files, ...plan } = jsonPlan(update)
  return {
    ok: !mustAct,
    exitCode: mustAct ? EXIT.refused : EXIT.done,
    ...(mustAct && { error: { code: 'refused', message: MUST_ACT } }),
    dryRun,
    check,
    directory: path,
    ...plan,
    files: files.map((file) => ({ ...file, ...(diffs.has(file.path) && { diff: diffs.get(file.path) }) })),
  }
}

/** What an update does, for `--json`. */
export function jsonPlan({ from, to, former, release, notes, pending, files }: Update) {
  return {
    from,
    to,
    former: former ?? null,
    release: release ?? null,
    notes: notes.map(visible),
    conflicts: pending.conflicts,
    files: files.filter(isReported).map(({ path, decision: { action, detail, newHome } }) => ({
      path,
      action,
      ...(detail && { detail }),
      ...(newHome && { newHome }),
    })),
  }
}

/** A file's path, with what the owner has to know about it. */
export function shown({ path, decision: { detail, newHome } }: UpdateFile): string {
  const why = detail ? ` (${detail})` : ''
  return visible(newHome ? `${path}: kept${why}; its code is now in ${newHome}` : `${path}${why}`)
}

/** Both versions, and where to read what changed. */
export const releaseLines = (release: Release | undefined): string[] =>
  release
    ? ['', `create-authsmith ${visible(release.from)} → ${release.to}: ${chalk.cyan(release.changelog)}`]
    : []

/** A note as one line of a report. */
export const noteLine = (text: string): string => `  ${visible(text)}`

const isReported = ({ decision }: UpdateFile) => decision.action !== 'same'

function named({ manifest }: Project, answers: Answers): string {
  return `${visible(manifest.answers.name)} (${describeVariant(answers)})`
}
