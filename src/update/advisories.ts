import { join } from 'node:path'
import * as z from 'zod'
import { layersOf, planOf } from '../blueprints/layers.ts'
import { type DiskFile, readDisk } from '../project/disk.ts'
import { formerOf } from '../project/former.ts'
import type { Project } from '../project/manifest.ts'
import { pathFault } from '../project/path-rules.ts'
import { UserError } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { readJson } from '../system/read-json.ts'
import type { System } from '../system/system.ts'
import { isInRange, isRange } from '../system/version.ts'

const line = z.string().refine((text) => !text.includes('\n'), 'must be one line')
const lines = z
  .array(line)
  .min(1)
  .transform((each) => each.join('\n'))
const path = z.string().refine((value) => pathFault(value) === undefined, 'must be a path in the project')

const advisory = z.strictObject({
  id: z.string().regex(/^AUTHSMITH-\d{4}-\d{3}$/),
  severity: z.enum(['critical', 'high', 'medium', 'low']),
  title: z.string().min(1),
  /** The versions that generated the text, such as ">=0.1.0 <0.2.0". */
  affected: z.string().refine(isRange, 'must be a range such as ">=0.1.0 <0.2.0"'),
  fixedIn: z.string().regex(/^\d+\.\d+\.\d+$/),
  /** A project has the text if one of these layers applies to it. */
  layers: z.array(z.string()).min(1),
  /** How to find out by hand whether a service is affected. */
  check: z.string().min(1),
  files: z
    .array(
      z.strictObject({
        path,
        /** The fix. The first text to replace is the vulnerable one; the others are what its fix needs, such as imports. */
        changes: z.array(z.strictObject({ before: lines, after: lines })).min(1),
      }),
    )
    .min(1),
})

const advisoriesSchema = z.strictObject({ formatVersion: z.literal(1), advisories: z.array(advisory) })

export type Advisory = z.output<typeof advisory>
export type Fix = Advisory['files'][number]

/** A vulnerable text in a file of the project. */
export interface Finding {
  readonly advisory: Advisory
  readonly fix: Fix
}

/** A file that has neither the vulnerable text nor its fix, although an affected version generated it. */
export interface Unchecked extends Finding {
  /** What the owner did to it. */
  readonly reason: string
}

export interface Findings {
  readonly findings: readonly Finding[]
  readonly notChecked: readonly Unchecked[]
}

/**
 * Reads `blueprints/advisories.json`: what was found in code that a released version generated.
 * @throws JsonFault if the file is invalid
 */
export function readAdvisories(fs: FileSystem, blueprints: string): readonly Advisory[] {
  const file = join(blueprints, 'advisories.json')
  if (!fs.existsSync(file)) return []
  return readJson(fs.readFileSync(file, 'utf8'), advisoriesSchema).advisories
}

/**
 * The advisories that apply to a project: a file still has the vulnerable text, and an affected version generated it.
 * Also the files of which that is not known.
 * @param ids only these; all if undefined
 * @throws UserError (usage) for an unknown id
 */
export function findAdvisories(
  { fs, blueprints }: System,
  project: Project,
  ids?: readonly string[],
): Findings {
  const { answers } = project.manifest
  const plan = planOf(answers, formerOf(project.manifest)?.profile)
  const advisories = readAdvisories(fs, blueprints)
  const unknown = ids?.find((id) => !advisories.some((each) => each.id === id))
  if (unknown !== undefined)
    throw new UserError(
      'usage',
      `Unknown advisory \`${unknown}\`. Run \`create-authsmith audit\` to list those of this project.`,
    )
  const checked = advisories
    .filter(({ id, layers }) => (ids?.includes(id) ?? true) && layersOf(plan, layers).length > 0)
    .flatMap((advisory) => advisory.files.map((fix): Finding => ({ advisory, fix })))
    .map((finding) => ({ ...finding, ...check(fs, project, finding) }))
  return {
    findings: checked.flatMap(({ advisory, fix, applies }) => (applies ? [{ advisory, fix }] : [])),
    notChecked: checked.flatMap(({ advisory, fix, reason }) => (reason ? [{ advisory, fix, reason }] : [])),
  }
}

function check(
  fs: FileSystem,
  { path, base, manifest }: Project,
  { advisory: { affected }, fix }: Finding,
): { readonly applies: boolean; readonly reason?: string } {
  const disk = readDisk(fs, path, fix.path)
  const isAffected = isInRange(manifest.generator, affected)
  const generated = base?.files.get(fix.path)
  // What another version generated itself is not affected. Otherwise, the owner kept the text through an update.
  if (disk.kind === 'text' && isVulnerable(disk.text, fix))
    return { applies: isAffected || !isVulnerable(generated ?? '', fix) }
  if (disk.kind === 'text' && isFixed(disk.text, fix)) return { applies: false }
  const left = base?.dropped.get(fix.path)
  const known = isAffected ? (generated ?? left) : disk.kind === 'absent' ? undefined : left
  const isExpected =
    base === undefined ? isAffected : isVulnerable(known ?? '', fix) || isFixed(known ?? '', fix)
  return { applies: false, ...(isExpected && { reason: REASONS[disk.kind] }) }
}

const REASONS: Record<DiskFile['kind'], string> = {
  absent: 'moved or deleted',
  text: 'its text was edited',
  other: 'not a text file',
}

/** Whether a text contains what the fix replaces, whatever its layout. */
export function isVulnerable(text: string, { changes: [vulnerable] }: Fix): boolean {
  return vulnerable !== undefined && withoutLayout(text).includes(withoutLayout(vulnerable.before))
}

const isFixed = (text: string, { changes: [vulnerable] }: Fix): boolean =>
  vulnerable !== undefined && withoutLayout(text).includes(withoutLayout(vulnerable.after))

/** Without what formatters change: white space, quotes, semicolons, parentheses and trailing commas. */
const withoutLayout = (text: string): string =>
  text
    .replace(/,(?=\s*[)\]}])/g, '')
    .replace(/[\s;()]+/g, '')
    .replaceAll('"', "'")

/** The text with the fix; undefined unless each part to replace is in it, once. */
export function fixed(text: string, { changes }: Fix): string | undefined {
  return changes.reduce<string | undefined>((result, { before, after }) => {
    const parts = result?.split(before)
    return parts?.length === 2 ? parts.join(after) : undefined
  }, text)
}
