import { timingSafeEqual } from 'node:crypto'
import type { Config } from '../../config.ts'

/** A hash in the form in which it is stored: `$id$name=number,…$salt$hash` (the PHC string format, base64 without `=`). */
export interface ParsedHash {
  id: string
  cost: Record<string, number>
  salt: Buffer
  hash: Buffer
}

/** How another service hashed passwords. */
export interface HashKind {
  /**
   * Undefined for another kind, a damaged hash, or one that costs too much: whoever can write the file of an import could
   * otherwise make every login of this user take all memory, or minutes.
   */
  parse(storedHash: string): ParsedHash | undefined
  /** Whether a password as typed matches, in at most two seconds of one core. */
  matches(password: string, parsed: ParsedHash, config: Config): Promise<boolean>
}

/** Longer hashes are cut: nobody guesses 64 bytes. */
const maxHashBytes = 64

/** A hash of less than 16 bytes would match too many passwords. */
const pattern =
  /^\$([a-z][a-z0-9-]{2,30})\$([a-z]{1,2}=\d{1,8}(?:,[a-z]{1,2}=\d{1,8}){0,3})\$([\w+/]{0,171})\$([\w+/]{22,86})$/

/** Undefined if the text has another form. */
export function parsePhc(text: string): ParsedHash | undefined {
  const [, id, names, salt = '', hash = ''] = pattern.exec(text) ?? []
  if (id === undefined || names === undefined) return undefined
  const entries = names.split(',').map((entry) => entry.split('=') as [string, string])
  const cost = Object.fromEntries(entries.map(([name, value]) => [name, Number(value)]))
  return { id, cost, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') }
}

/** The stored form. */
export function formatPhc({ id, cost, salt, hash }: ParsedHash): string {
  const names = Object.entries(cost).map(([name, value]) => `${name}=${value}`)
  const [salted, hashed] = [salt, hash.subarray(0, maxHashBytes)].map((bytes) =>
    bytes.toString('base64').replaceAll('=', ''),
  )
  return `$${id}$${names.join(',')}$${salted}$${hashed}`
}

/** Compares in constant time. */
export const isEqual = (one: Buffer, other: Buffer): boolean =>
  one.length === other.length && timingSafeEqual(one, other)
