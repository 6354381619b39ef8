import { isProfileSwitch } from '../answers/variant.ts'
import { type EnvSwitch, planChanges, withFiles } from './changes.ts'
import { appendParagraph, changeValue, cutSettings, readEnv, type Settings, spell } from './env-file.ts'
import { envWithSecrets } from './secrets.ts'

/** The note on settings that are not in .env. */
export const ELSEWHERE =
  'settings that are set outside .env need the names of this profile there too; see .env.example'

/**
 * The .env for a switched project. Missing settings are added at the end, with their comment; a renamed setting keeps
 * its value. No line is removed. A line changes only if it would restore a value from before an earlier switch, or if
 * it has the address of the other database. Of repeated settings the last one counts, as in Node.
 * @returns its text, and notes of what was done and what is left to do, one line each. They contain no secrets
 */
export function carryEnv(options: EnvSwitch) {
  const { env, from, to } = options
  const before = readEnv(env)
  const example = withFiles(options, before)
  const filled = envWithSecrets(example)
  const defaults = readEnv(filled)
  const planned = planChanges(options, before, defaults)
  const missing = Object.keys(defaults).filter((name) => before[name] === undefined)
  const expected = { ...before, ...Object.fromEntries(missing.map((name) => [name, defaults[name]])) }
  let text = env
  const added: Record<string, string> = {}
  const changed = new Set<string>()
  for (const { name, value, written, comment } of planned) {
    if (value === undefined) continue
    changed.add(name)
    expected[name] = value
    const spelled = spell(value, written)
    if (spelled === undefined) continue
    if (before[name] === undefined) added[name] = spelled
    else text = changeValue(text, name, spelled, comment)
  }
  for (const paragraph of filled.trim().split(/\n{2,}/)) text = appendMissing(text, paragraph, missing, added)

  // Fails for an unclosed quote, for example, which would include the added lines.
  if (!isSame(readEnv(text), expected)) return { text: env, notes: [unsafe([...missing, ...changed])] }
  const isSecret = (name: string) => defaults[name] !== readEnv(example)[name]
  const names = missing
    .filter((name) => !changed.has(name))
    .map((name) => (isSecret(name) ? `${name} (a new secret)` : name))
  const notes = [
    ...cutSettings(env).map((name) => `.env: the value of ${name} ends before its #: put it in quotes`),
    ...planned.map(({ note }) => note),
    ...(names.length > 0 ? [`.env: added ${names.join(', ')}`] : []),
    ...(isProfileSwitch(from, to) ? [ELSEWHERE] : []),
  ]
  return { text, notes }
}

const unsafe = (names: readonly string[]) =>
  `.env was not changed, because adding to it is not safe (is a quote not closed?); set ${[...new Set(names)].join(', ')} yourself`

/** Adds the missing settings of a paragraph of .env.example, with its comment. */
function appendMissing(
  text: string,
  paragraph: string,
  missing: readonly string[],
  values: Readonly<Record<string, string>>,
): string {
  const nameOf = (line: string) => /^([A-Z][A-Z0-9_]*)=/.exec(line)?.[1] ?? ''
  const lines = paragraph.split('\n').filter((line) => line.startsWith('#') || missing.includes(nameOf(line)))
  if (lines.every((line) => line.startsWith('#'))) return text
  return appendParagraph(
    text,
    lines.map((line) => (nameOf(line) in values ? `${nameOf(line)}=${values[nameOf(line)]}` : line)),
  )
}

const isSame = (one: Settings, other: Settings) =>
  Object.keys({ ...one, ...other }).every((name) => one[name] === other[name])
