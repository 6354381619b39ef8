import type { Database } from '../answers/variant.ts'
import { type DriverValue, type Kind, ValueError } from './database.ts'

/**
 * Between two kinds of database, a value is copied as exact text: `true`, `42`, `1.50`, `2026-01-31T12:00:00.123Z`,
 * `\xc0ffee`. Between two databases of the same kind (`same`), it is not converted.
 */

const kinds: Record<string, Kind> = {
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
  return kinds[source.kind === 'postgres' ? source.type : target.type] ?? 'text'
}

/** @throws ValueError for a timestamp that SQLite cannot store in milliseconds, such as infinity */
export function fromPostgres(kind: Kind, value: string): string {
  if (kind !== 'timestamp') return value
  const [, date, time] = /^(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d(?:\.\d+)?)(?:\+00)?$/.exec(value) ?? []
  if (!date) throw new ValueError(`${value} is not a timestamp from the year 1 to 9999`)
  return `${date}T${time}Z`
}

/** @throws ValueError if the value is not of the column's kind, because SQLite stores any value in any column */
export function fromSqlite(kind: Kind, value: Exclude<DriverValue, null>): string {
  switch (kind) {
    case 'same':
      return tagged(value)
    case 'boolean':
      if (value === 0n) return 'false'
      if (value === 1n) return 'true'
      break
    case 'integer':
      if (typeof value === 'bigint' || (typeof value === 'string' && /^-?\d+$/.test(value)))
        return String(value)
      break
    case 'real':
      if (typeof value === 'bigint' || typeof value === 'number') return String(Number(value))
      break
    case 'timestamp':
      if (typeof value === 'bigint' && value >= firstMoment && value <= lastMoment)
        return new Date(Number(value)).toISOString()
      break
    case 'bytes':
      if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
      break
    default:
      if (!(value instanceof Uint8Array)) return String(value)
  }
  const found =
    value instanceof Uint8Array ? `a blob of ${value.length} bytes` : JSON.stringify(String(value))
  throw new ValueError(`${found} is not ${names[kind]}`)
}

const firstMoment = BigInt(Date.parse('0001-01-01T00:00:00Z'))
const lastMoment = BigInt(Date.parse('9999-12-31T23:59:59.999Z'))

const names: Record<Exclude<Kind, 'same'>, string> = {
  boolean: 'a boolean, which is 0 or 1',
  bytes: 'a blob',
  integer: 'an integer',
  json: 'JSON',
  numeric: 'a number',
  real: 'a number',
  text: 'text',
  timestamp: 'a timestamp in milliseconds since 1970',
  uuid: 'a UUID',
}

/** @throws ValueError if SQLite cannot store the value exactly */
export function toSqlite(kind: Kind, value: string, columnType: string): Exclude<DriverValue, null> {
  switch (kind) {
    case 'same':
      return untagged(value)
    case 'boolean':
      return value === 'true' ? 1n : 0n
    case 'integer':
      return BigInt(value)
    case 'real':
      if (value === 'NaN') throw new ValueError('SQLite cannot store NaN')
      return Number(value)
    case 'numeric':
      return /CHAR|CLOB|TEXT/i.test(columnType) ? value : numberFor(value)
    case 'timestamp':
      return BigInt(Date.parse(milliseconds(value)))
    case 'bytes':
      return Buffer.from(value.slice('\\x'.length), 'hex')
    default:
      return value
  }
}

function numberFor(value: string): bigint | number {
  if (/^-?\d+$/.test(value) && BigInt.asIntN(64, BigInt(value)) === BigInt(value)) return BigInt(value)
  if (decimal(String(Number(value))) === decimal(value)) return Number(value)
  throw new ValueError(`a SQLite number cannot store ${value} exactly; use a text column`)
}

/** Whether the timestamp has more precision than the milliseconds that SQLite stores. */
export const isCut = (kind: Kind, value: string): boolean =>
  kind === 'timestamp' && milliseconds(value) !== value

const milliseconds = (moment: string): string => moment.replace(/(\.\d{3})\d+Z$/, '$1Z')

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
function decimal(text: string): string {
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
        ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)))
        : value,
    )
  } catch {
    throw new ValueError('the text is not JSON')
  }
}

/** Keeps SQLite's storage class, which distinguishes 1, 1.0, '1' and x'31'. */
function tagged(value: Exclude<DriverValue, null>): string {
  if (typeof value === 'bigint') return `i${value}`
  if (typeof value === 'number') return `r${value}`
  return typeof value === 'string' ? `t${value}` : `b${Buffer.from(value).toString('hex')}`
}

function untagged(value: string): Exclude<DriverValue, null> {
  const content = value.slice(1)
  if (value.startsWith('i')) return BigInt(content)
  if (value.startsWith('r')) return Number(content)
  return value.startsWith('t') ? content : Buffer.from(content, 'hex')
}
