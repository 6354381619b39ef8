import { type Base, firstBase } from '../project/base.ts'
import type { Project } from '../project/manifest.ts'
import { refused } from '../system/errors.ts'
import type { UpdateFile } from '../update/files/file.ts'
import { runPasses } from '../update/files/passes.ts'
import type { Pending } from '../update/journal/journal.ts'
import { atPath } from '../update/owner/owner-moves.ts'
import { changeOf } from '../update/plan/plan.ts'
import { fixed } from './advisories.ts'
import type { Finding } from './findings.ts'

/** The vulnerable and the fixed text of a file. */
interface Fixed {
  readonly before: string
  readonly after: string
}

/**
 * Plans an update that contains only the fixes of advisories: the base is the vulnerable text as it was generated, and
 * the new text is the same with the fix. The rest of the project and its version stay.
 * @returns undefined if no finding has a fix that fits
 * @throws UserError (refused) if base.json is missing
 */
export function planFix(
  project: Project,
  findings: readonly Finding[],
): { readonly pending: Pending; readonly files: readonly UpdateFile[] } | undefined {
  const { base } = project
  if (!base)
    throw refused(
      '.authsmith/base.json is missing, so your edits cannot be told from the vulnerable text. Restore it from git or a backup, or fix the files by hand.',
    )
  const texts = new Map<string, Fixed>()
  for (const path of new Set(findings.map(({ fix }) => fix.path))) {
    const text = fixedFile(project, base, path, findings)
    if (text) texts.set(path, text)
  }
  if (texts.size === 0) return undefined

  const decided = [...texts].flatMap(([path, { before, after }]) => {
    const ids = findings.filter(({ fix }) => fix.path === path).map(({ advisory }) => advisory.id)
    const base = firstBase(new Map([[path, before]]))
    const sides = { tree: project.tree, base, next: new Map([[path, after]]), released: new Map() }
    return runPasses({ ...sides, label: ids.join(', ') })
  })
  const { manifest } = project
  return {
    files: decided,
    pending: {
      state: 'applying',
      changes: decided.flatMap(changeOf),
      conflicts: decided.flatMap(({ path, decision }) => (decision.action === 'conflict' ? [path] : [])),
      previous: project,
      next: { manifest, base: fixedBase(base, texts) },
    },
  }
}

/** The fixes fit the text that was generated, or else the file as it is, which the owner may have kept from an update. */
function fixedFile({ tree }: Project, base: Base, path: string, findings: readonly Finding[]) {
  const fixes = findings.filter(({ fix }) => fix.path === path)
  const [from = path] = fixes.map(({ generatedAt }) => generatedAt)
  const there = (text: string | null | undefined) => text && atPath(from, path, text)
  const candidates = [there(base.files.get(from)), there(base.dropped.get(from)), tree.text(path)]
  for (const before of candidates) {
    if (typeof before !== 'string') continue
    const after = fixes.reduce<string | undefined>((text, { fix }) => text && fixed(text, fix), before)
    if (after !== undefined) return { before, after }
  }
  return undefined
}

/** The next update merges with the fixed text if the base had the vulnerable one. */
function fixedBase(base: Base, texts: ReadonlyMap<string, Fixed>): Base {
  const replaced = <Text extends string | null>([path, text]: readonly [string, Text]) => {
    const { before, after } = texts.get(path) ?? {}
    return [path, text === before ? after : text] as [string, Text]
  }
  const [files, dropped] = [new Map([...base.files].map(replaced)), new Map([...base.dropped].map(replaced))]
  return { ...base, files, dropped }
}
