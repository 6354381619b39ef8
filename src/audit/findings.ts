import { extname } from 'node:path/posix'
import { layersOf, planOf } from '../blueprints/layers.ts'
import type { DiskFile } from '../project/disk.ts'
import type { Project } from '../project/manifest.ts'
import { COMMAND } from '../system/command.ts'
import { wrongUsage } from '../system/errors.ts'
import type { Files } from '../system/file-system.ts'
import type { System } from '../system/system.ts'
import { isInRange } from '../system/version.ts'
import { atPath, textFiles } from '../update/owner/owner-moves.ts'
import { type Advisory, type Fix, isFixed, isVulnerable, readAdvisories } from './advisories.ts'
import { hasFix, isUsed } from './fix-evidence.ts'

/** A vulnerable text in a file of the project. */
export interface Finding {
  readonly advisory: Advisory
  /** The fix, for the path that the file has now. */
  readonly fix: Fix
  /** The path where the file was generated: the owner may have moved it. */
  readonly generatedAt: string
}

/** A file without the vulnerable text, and without its fix in the same place, although an affected version generated it. */
export interface Unchecked extends Finding {
  /** What the owner did to it. */
  readonly reason: string
}

export interface Findings {
  readonly findings: readonly Finding[]
  readonly notChecked: readonly Unchecked[]
}

/**
 * The advisories that apply to a project: a file still has the vulnerable text, wherever the owner moved it, and an
 * affected version generated it. Also the files of which that is not known.
 * @param ids only these; all if undefined
 * @throws UserError (usage) for an unknown id
 */
export function findAdvisories(system: System, project: Project, ids?: readonly string[]): Findings {
  const { answers } = project.manifest
  const plan = planOf(answers)
  const advisories = readAdvisories(system.fs, system.blueprints)
  const unknown = ids?.find((id) => !advisories.some((each) => each.id === id))
  if (unknown !== undefined)
    throw wrongUsage(
      `Unknown advisory \`${unknown}\`. Run \`${COMMAND} audit\` to list those of this project.`,
    )
  const texts = textFiles(project.tree)
  const checked = advisories
    .filter(({ id }) => ids?.includes(id) ?? true)
    .flatMap((advisory) => {
      const isGenerated = layersOf(plan, advisory.layers).length > 0
      const files = advisory.files.filter(({ path }) => isGenerated || isLeft(project, path))
      return files.map((fix) => ({ advisory, fix, generatedAt: fix.path }))
    })
    .map((finding) => check(project, finding, texts))
  return {
    findings: checked.flatMap(({ findings }) => findings),
    notChecked: checked.flatMap(({ notChecked }) => notChecked),
  }
}

/** Whether a switch left a file to the owner, because they had edited it, and it is still there. */
const isLeft = ({ base, tree }: Project, path: string): boolean =>
  typeof base?.dropped.get(path) === 'string' && tree.file(path).kind !== 'absent'

function check(project: Project, finding: Finding, texts: Files): Findings {
  const { advisory, fix } = finding
  const { base, manifest, tree } = project
  const isAffected = isInRange(manifest.generator, advisory.affected)
  // An update gives the affected text its fix, but not in a file that the owner had moved or edited.
  const wasAffected = isAffected || isInRange(manifest.since ?? manifest.generator, advisory.affected)
  const disk = tree.file(fix.path)
  const generated = base?.files.get(fix.path)
  // What another version generated itself is not affected. Otherwise, the owner kept the text through an update.
  const isHere =
    disk.kind === 'text' &&
    isVulnerable(disk.text, fix) &&
    (isAffected || !isVulnerable(generated ?? '', fix))
  const others = [...texts].filter(([path]) => path !== fix.path && extname(path) === extname(fix.path))
  const moved = others.filter(
    ([path, text]) => isVulnerable(text, fix) && !isVulnerable(base?.files.get(path) ?? '', fix),
  )
  const findings = [
    ...(isHere ? [finding] : []),
    ...moved.map(([path]) => ({ ...finding, fix: fixAt(fix, path) })),
  ]
  const left = base?.dropped.get(fix.path)
  const isRepaired = (path: string, text: string) =>
    [generated, left].some(
      (each) => typeof each === 'string' && hasFix(text, atPath(fix.path, path, each), fixAt(fix, path)),
    )
  const isChecked =
    findings.length > 0 ||
    (disk.kind === 'text' && (isVulnerable(disk.text, fix) || isRepaired(fix.path, disk.text))) ||
    (disk.kind === 'absent' &&
      others.some(([path, text]) => !base?.files.has(path) && isRepaired(path, text) && isUsed(path, texts)))
  if (isChecked) return { findings, notChecked: [] }
  const known = wasAffected ? (generated ?? left) : disk.kind === 'absent' ? undefined : left
  const isExpected =
    base === undefined
      ? wasAffected
      : (wasAffected && known === null) || isVulnerable(known ?? '', fix) || isFixed(known ?? '', fix)
  return { findings, notChecked: isExpected ? [{ ...finding, reason: REASONS[disk.kind] }] : [] }
}

const REASONS: Record<DiskFile['kind'], string> = {
  absent: 'moved or deleted',
  text: 'its text was edited',
  other: 'not a text file',
}

/** The fix of a file that the owner moved, with the relative imports of its new path. */
function fixAt({ path: from, changes }: Fix, path: string): Fix {
  const there = (text: string) => atPath(from, path, text)
  return {
    path,
    changes: changes.map(({ before, after }) => ({ before: there(before), after: there(after) })),
  }
}
