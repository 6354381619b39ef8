import type { Database } from '../answers/variant.ts'
import { sortedByKey } from '../system/json.ts'
import { type Kind, ValueError } from './database.ts'

/**
 * Between two kinds of database, a value is copied as exact text: `true`, `42`, `1.50`, `2026-01-31T12:00:00.123Z`,
 * `\xc0ffee`. Between two databases of the same kind (`same`), it is not converted.
 */

const KINDS: Record<string, Kind> = {
  boolean: 'boolean',
  smallint: 'integer',
  integer: 'integer',
  bigint: 'integer',
  real: 'real',
  'double precision': 'real',
  numeric: 'numeric',
  'timestamp with time zone': 'timestamp',
  'timestamp without time zone': 'timestamp',
  json: 'json',
  jsonb: 'json',
  bytea: 'bytes',
  uuid: 'uuid',
}

/** Uses PostgreSQL's type, because SQLite has none for booleans, timestamps and JSON. Unlisted types are text. */
export function kindOf(
  source: { kind: Database; type: string },
  target: { kind: Database; type: string },
): Kind {
  if (source.kind === target.kind) return 'same'
  return KINDS[source.kind === 'postgres' ? source.type : target.type] ?? 'text'
}

/** @throws ValueError for a timestamp that SQLite cannot store in milliseconds, such as infinity */
export function fromPostgres(kind: Kind, value: string): string {
  if (kind !== 'timestamp') return value
  const [, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?$/.exec(value) ?? []
  if (!date) throw new ValueError(`${value} is not a timestamp from the year 1 to 9999`)
  return `${date}T${time}Z`
}

/** Whether the timestamp has more precision than the milliseconds that SQLite stores. */
export const isCut = (kind: Kind, value: string): boolean =>
  kind === 'timestamp' && milliseconds(value) !== value

/** A timestamp without the digits after its milliseconds. */
export const milliseconds = (moment: string): string => moment.replace(/(\.\d{3})\d+Z$/, '$1Z')

/** Normalizes a value, so that both sides can be compared. @throws ValueError if a JSON value is invalid */
export function comparable(kind: Kind, value: string): string {
  if (kind === 'json') return sortedJson(value)
  if (kind === 'numeric') return decimal(value)
  if (kind === 'real') return String(Number(value))
  if (kind === 'timestamp') return String(Date.parse(milliseconds(value)))
  if (kind === 'uuid') return value.toLowerCase()
  return value
}

/** Normalizes a number to digits without outer zeros and a power of ten: 1.50, 1.5 and 15e-1 are equal. */
export function decimal(text: string): string {
  const [, sign, whole = '', fraction = '', power = '0'] =
    /^([+-]?)(\d*)\.?(\d*)(?:e([+-]?\d+))?$/i.exec(text) ?? []
  if (sign === undefined) return text
  const digits = (whole + fraction).replace(/^0+/, '')
  const significant = digits.replace(/0+$/, '')
  if (significant === '') return '0'
  const exponent = Number(power) - fraction.length + digits.length - significant.length
  return `${sign === '-' ? '-' : ''}${significant}e${exponent}`
}

/** Normalizes JSON, because jsonb changes spaces and the order of members. */
function sortedJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), (_key, value: unknown) =>
      value !== null && typeof value === 'object' && !Array.isArray(value)
        ? sortedByKey(value as Record<string, unknown>)
        : value,
    )
  } catch {
    throw new ValueError('the text is not JSON')
  }
}
