import { join } from 'node:path'
import * as z from 'zod'
import { withoutComments } from '../merge/comments.ts'
import { pathFault } from '../project/path-rules.ts'
import type { FileSystem } from '../system/file-system.ts'
import { readJson } from '../system/read-json.ts'
import { isRange } from '../system/version.ts'

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

/**
 * Reads `blueprints/advisories.json`: what was found in code that a released version generated.
 * @throws JsonFault if the file is invalid
 */
export function readAdvisories(fs: FileSystem, blueprints: string): readonly Advisory[] {
  const file = join(blueprints, 'advisories.json')
  if (!fs.existsSync(file)) return []
  return readJson(fs.readFileSync(file, 'utf8'), advisoriesSchema).advisories
}

/** Whether a text contains what the fix replaces, whatever its layout and comments. */
export function isVulnerable(text: string, { path, changes: [change] }: Fix): boolean {
  if (!change) return false
  const { before, after } = change
  // A comment after the line can be all that tells the vulnerable text from a fix that adds another line.
  if (contains(path, after, before)) return withoutLayout(text).includes(withoutLayout(before))
  return contains(path, text, before)
}

/** Whether a generated text contains the fix. */
export const isFixed = (text: string, { path, changes: [change] }: Fix): boolean =>
  change !== undefined && contains(path, text, change.after)

function contains(path: string, text: string, part: string): boolean {
  const code = withoutLayout(withoutComments(path, text))
  // Alone, a part of a template literal or a string can look as if it had a comment.
  return [withoutComments(path, part), part].some((each) => code.includes(withoutLayout(each)))
}

/** Without what formatters change: white space, quotes, semicolons, parentheses and trailing commas. */
const withoutLayout = (text: string): string =>
  text
    .replace(/,(?=\s*[)\]}])/g, '')
    .replace(/[\s;()]+/g, '')
    .replaceAll('"', "'")

/** The text with the fix; undefined unless each part to replace is in it, once. */
export const fixed = (text: string, { changes }: Fix): string | undefined =>
  changes.reduce<string | undefined>((result, { before, after }) => {
    const parts = result?.split(before)
    return parts?.length === 2 ? parts.join(after) : undefined
  }, text)
