import { CommandError } from '../commands/user-commands.ts'

/** Nothing, as databases and exports write it. */
export const isAbsent = (value: unknown): boolean => value === undefined || value === null || value === ''

/**
 * A time as databases and JSON write it, in milliseconds since 1970. Without a zone, it is UTC. A number is seconds or
 * milliseconds.
 * @returns NaN if it is none
 */
export function timeOf(value: unknown): number {
  const text = typeof value === 'string' ? value : ''
  if (/^\d{9,10}$/.test(text)) return Number(text) * 1000
  if (/^\d{11,14}$/.test(text)) return Number(text)
  if (/^\w{3}, \d\d \w{3} \d{4} [\d:]{8} GMT$/.test(text)) return Date.parse(text)
  const [, date, clock = '00:00:00', zone = 'Z', minutes = '00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?))? ?(Z|UTC|[+-]\d\d)?(?::?(\d\d))?$/.exec(text) ?? []
  return Date.parse(`${date}T${clock}${/^[ZU]/.test(zone) ? 'Z' : `${zone}:${minutes}`}`)
}

/**
 * Whether a column says so. By its name, it is a time, a time that is still to come, or true or false.
 * @param now milliseconds since 1970
 * @throws CommandError for what such a column cannot contain: it is no yes, and must not be taken for a no
 */
export function says(column: string, value: unknown, now: number): boolean {
  const text = String(Object(value) === value ? '?' : (value ?? ''))
  if (/^(|null|0|false|f|no|n|off|0000-00-00.*)$/i.test(text)) return false
  // A ban without a readable end, such as `infinity`, has not ended.
  if (/until$/i.test(column)) return !(timeOf(text) <= now)
  const isTime = /(_at|At)$/.test(column)
  if (isTime ? timeOf(text) >= 0 && timeOf(text) <= now : /^(true|t|yes|y|on|[1-9]\d?)$/i.test(text))
    return true
  throw new CommandError(`${column}: Must be ${isTime ? 'a time until now' : 'true or false'}`)
}
