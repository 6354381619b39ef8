import chalk from 'chalk'
import { visible } from '../system/printing.ts'
import type { Release } from '../update/plan/changelog.ts'

/** The kinds of changes, in the order in which an owner has to know them. */
const KINDS = ['Security', 'Removed', 'Deprecated', 'Changed', 'Fixed', 'Added']

/** What a new version changes for the owner: the first sentence of each entry. */
export function releaseLines(release: Release | undefined): string[] {
  if (!release) return []
  const { from, to, changes } = release
  const count = `${changes.length} ${changes.length === 1 ? 'change' : 'changes'}`
  return [
    '',
    chalk.bold(`create-authsmith ${visible(from)} → ${to}: ${count} for this project`),
    ...KINDS.flatMap((kind) => {
      const entries = changes.filter((change) => change.kind === kind)
      return entries.length === 0
        ? []
        : [`  ${kind}`, ...entries.map(({ text }) => `    - ${visible(firstSentence(text))}`)]
    }),
  ]
}

/** The release as a member of `--json`, with complete texts. */
export const jsonRelease = (release: Release | undefined) =>
  release && {
    ...release,
    changes: release.changes.map(({ version, kind, text }) => ({ version, kind, text: visible(text) })),
  }

const firstSentence = (text: string): string => /^.*?\.(?= [A-Z\d`])/.exec(text)?.[0] ?? text
