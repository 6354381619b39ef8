import { diff3Merge } from 'node-diff3'
import { withoutComments } from '../merge/comments.ts'
import { isSameExceptLayout, SOURCE } from '../merge/layout.ts'
import { tokensOf } from '../merge/tokens.ts'
import { importsOf } from '../update/owner/keep-imported.ts'
import { type Fix, fixed } from './advisories.ts'

/**
 * Whether a file has the fix in the place of the vulnerable text. A comment with the fix, or an unused function, stops no
 * attack.
 * @param generated the file as generated, vulnerable or fixed
 */
export function hasFix(text: string, generated: string, { path, changes: [change] }: Fix): boolean {
  if (!change) return false
  const { before, after } = change
  const repaired = fixed(generated, { path, changes: [change] })
  const vulnerable =
    repaired === undefined
      ? fixed(generated, { path, changes: [{ before: after, after: before }] })
      : generated
  // The fix and its surroundings were generated in another form.
  if (vulnerable === undefined) return isSameExceptLayout(path, text, generated)
  const [own, old, next] = [text, vulnerable, repaired ?? generated].map((each) => declarationsOf(path, each))
  const names = [...new Set([...(old?.keys() ?? []), ...(next?.keys() ?? [])])]
  const of = (name: string, side = own) => side?.get(name) ?? []
  const changed = names.filter((name) => of(name, old).join('\n') !== of(name, next).join('\n'))
  return changed.length > 0 && changed.every((name) => isMerged(of(name), of(name, old), of(name, next)))
}

/** Whether a merge of the fix would change nothing. What the owner wrote beside it may stay. */
function isMerged(own: string[], old: string[], next: string[]): boolean {
  const merged = diff3Merge(own, old, next).flatMap(({ ok, conflict }) => {
    if (!conflict) return ok ?? []
    const { a, o, b } = conflict
    return contains(a, b) && !contains(o, b) ? a : [undefined]
  })
  return merged.length === own.length && own.every((value, at) => value === merged[at])
}

const contains = (all: string[], part: string[]): boolean =>
  all.some((_, from) => part.every((value, at) => value === all[from + at]))

/**
 * The tokens of each declaration of a file, by its name, without comments. Those of a file without declarations, such as
 * HTML, have one name, and those of an unknown language are its lines.
 */
function declarationsOf(path: string, text: string): Map<string, string[]> {
  const code = withoutComments(path, text)
  const tokens = tokensOf(path, code)
  if (!tokens) return new Map([['', code.split('\n').map((line) => line.trim())]])
  const declarations = new Map<string, string[]>()
  let depth = 0
  let name = ''
  for (const [at, { value, start }] of tokens.entries()) {
    const isFirst = depth === 0 && (start === 0 || code[start - 1] === '\n') && !/^[)\]}]/.test(value)
    if (SOURCE.test(path) && isFirst)
      name = nameOf(tokens.slice(at, at + MOST_WORDS).map((token) => token.value))
    const values = declarations.get(name) ?? []
    declarations.set(name, values)
    values.push(value)
    if (/^[)\]}]/.test(value)) depth -= 1
    if (/^[([{]$|\$\{$/.test(value)) depth += 1
  }
  return declarations
}

/** More than a declaration has before its name, such as `export default async function`. */
const MOST_WORDS = 6

/** Such as `function login` for `export async function login(`. */
function nameOf(values: readonly string[]): string {
  const words = values.filter((value) => !/^(?:export|default|async|declare|abstract)$/.test(value))
  const end = words.findIndex((value) => !/^[\p{ID_Start}$_]/u.test(value))
  return words[0] === 'import' ? 'import' : words.slice(0, Math.min(end < 0 ? 2 : end, 2)).join(' ')
}

/** Files that the service loads without an import. */
const LOADED = /^src\/(?:plugins|routes|commands\/user)\//

/** Whether the service uses a file of the owner: it is loaded, or a file other than a test imports it. */
export const isUsed = (path: string, texts: ReadonlyMap<string, string>): boolean =>
  LOADED.test(path) ||
  [...texts].some(
    ([importer, text]) =>
      importer !== path &&
      !importer.startsWith('test/') &&
      importsOf(importer, withoutComments(importer, text), new Map([[path, '']])).length > 0,
  )
