import { type DriverValue, type Kind, ValueError } from './database.ts'
import { decimal, milliseconds } from './values.ts'

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
      if (typeof value === 'bigint' && value >= FIRST_MOMENT && value <= LAST_MOMENT)
        return new Date(Number(value)).toISOString()
      break
    case 'bytes':
      if (value instanceof Uint8Array) return `\\x${Buffer.from(value).toString('hex')}`
      break
    default:
      if (!(value instanceof Uint8Array)) return String(value)
  }
  throw new ValueError(`${described(value)} is not ${NAMES[kind]}`)
}

/** A value for messages. Not a text: it may be a hash or an address, and errors get into tickets. */
function described(value: Exclude<DriverValue, null>): string {
  if (value instanceof Uint8Array) return `a blob of ${value.length} bytes`
  return typeof value === 'string' ? `a text of ${value.length} characters` : String(value)
}

const FIRST_MOMENT = BigInt(Date.parse('0001-01-01T00:00:00Z'))
const LAST_MOMENT = BigInt(Date.parse('9999-12-31T23:59:59.999Z'))

const NAMES: Record<Exclude<Kind, 'same'>, string> = {
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
