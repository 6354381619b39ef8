import chalk from 'chalk'
import { describeVariant } from '../answers/variant.ts'
import type { Project } from '../project/manifest.ts'
import { COMMAND } from '../system/command.ts'
import { refused } from '../system/errors.ts'
import { visible } from '../system/printing.ts'
import type { UpdateFile } from '../update/files/file.ts'
import type { Update } from '../update/plan/plan.ts'
import type { Release } from '../update/plan/release.ts'
import { diffOf, sizeOf } from './diff.ts'
import { grouped, type Result } from './output.ts'

/** The diff of each file that a planned update changes, by its path. */
export type Diffs = ReadonlyMap<string, string>

export const diffsOf = ({ pending }: Update): Diffs =>
  new Map(
    pending.changes
      .filter(({ before, after }) => before !== after)
      .map((change) => [change.path, diffOf(change)]),
  )

/**
 * The report of an update that does not run. Its failure is that there is something to update, if `check`.
 * @param diffs of a dry run: the text has how many lines a file gains and loses, `--json` the diff
 */
export function planResult(
  update: Update,
  project: Project,
  { dryRun, check, diffs }: { dryRun: boolean; check: boolean; diffs: Diffs },
): Result {
  const { files, ...plan } = jsonPlan(update)
  return {
    failure:
      check && !update.isEmpty
        ? refused(`The project is not up to date. Run \`${COMMAND} regenerate\`.`)
        : undefined,
    text: planText(update, project, diffs),
    members: {
      dryRun,
      check,
      directory: project.path,
      ...plan,
      files: files.map((file) => ({ ...file, ...(diffs.has(file.path) && { diff: diffs.get(file.path) }) })),
    },
  }
}

/** A line for each file, then the summary. */
function planText(update: Update, { manifest }: Project, diffs: Diffs): string {
  const { from, to, notes } = update
  const name = visible(manifest.answers.name)
  const noted = notes.map(noteLine)
  if (update.isEmpty) return [`${name} (${describeVariant(to)}): nothing to do`, ...noted, ''].join('\n')
  const files = update.files.filter(isReported)
  const groups = [...grouped(files, ({ decision }) => decision.action)]
  return [
    ...files.map((file) => {
      const diff = diffs.get(file.path)
      return `  ${file.decision.action.padEnd(9)} ${shown(file)}${diff ? `  ${chalk.dim(sizeOf(diff))}` : ''}`
    }),
    ...noted,
    ...releaseLines(update.release),
    '',
    chalk.bold(`${name} (${describeVariant(from)}): would become ${describeVariant(to)}`),
    `  ${groups.map(([action, some]) => `${action} ${some.length}`).join(', ')}. Nothing was changed.`,
    '',
  ].join('\n')
}

/** What an update does, for `--json`. */
export const jsonPlan = ({ from, to, addition, release, notes, pending, files }: Update) => ({
  from,
  to,
  release: release ?? null,
  addition: addition ?? null,
  notes: notes.map(visible),
  conflicts: pending.conflicts,
  files: files.filter(isReported).map(({ path, decision: { action, detail, newHome } }) => ({
    path,
    action,
    ...(detail && { detail }),
    ...(newHome && { newHome }),
  })),
})

/** A file's path, with what the owner has to know about it. */
export function shown({ path, decision: { detail, newHome } }: UpdateFile): string {
  const why = detail ? ` (${detail})` : ''
  return visible(newHome ? `${path}: kept${why}; its code is now in ${newHome}` : `${path}${why}`)
}

/** Both versions, and where to read what changed. */
export const releaseLines = (release: Release | undefined): string[] =>
  release
    ? [
        '',
        `create-authsmith ${visible(release.from)} → ${release.to}: ${chalk.cyan(release.changelog)}`,
        ...(release.addOns.length > 0 ? [`  new add-ons: ${release.addOns.join(', ')}`] : []),
      ]
    : []

/** A note as one line of a report. */
export const noteLine = (text: string): string => `  ${visible(text)}`

const isReported = ({ decision }: UpdateFile) => decision.action !== 'same'
