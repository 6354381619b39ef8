import type { Config } from '../config.ts'
import { formatPhc } from '../passwords/foreign/phc.ts'
import type { FileSyntax } from './records.ts'

type Fields = Record<string, unknown>

/** What reading a record can depend on. `now` is in milliseconds since 1970. */
type Reading = { config: Config; now: number }

/** How a system exports its users. */
interface ExportFormat extends FileSyntax {
  /** The fields of a line of our own format. A value that is missing, null or empty is left out. */
  toLine(record: Fields, reading: Reading): Fields
  /** The setting without which no user of the file could log in, if it is missing. */
  missing?(config: Config): string | undefined
}

const isTrue = (value: unknown): boolean => /^(true|t|1|yes)$/i.test(String(value))

const isGiven = (value: unknown): boolean => value !== undefined && value !== null && value !== ''

const object = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

/** JSON in a text, as Keycloak nests it. */
function nested(value: unknown): Fields {
  try {
    return object(JSON.parse(String(value)))
  } catch {
    return {}
  }
}

const base64 = (value: unknown): Buffer => Buffer.from(String(value ?? ''), 'base64')

/** A time as databases and JSON write it, in ISO 8601. Without a zone, it is UTC. A number is milliseconds since 1970. */
function time(value: unknown): unknown {
  const text = String(value ?? '')
  if (/^\d{1,14}$/.test(text)) return new Date(Number(text)).toISOString()
  if (/^0000-00-00/.test(text)) return undefined
  const [, date, clock = '00:00:00', zone = 'Z', minutes = '00'] =
    /^(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d:\d\d(?:\.\d+)?)) ?(Z|UTC|[+-]\d\d)?(?::?(\d\d))?$/.exec(text) ?? []
  if (date === undefined) return isGiven(value) ? text : undefined
  return `${date}T${clock}${/^[ZU]/.test(zone) ? 'Z' : `${zone}:${minutes}`}`
}

/** Django writes `!` and random letters for users without a password. */
const isUnusable = (value: unknown): boolean => String(value).startsWith('!')

function firebaseHash({ passwordHash, salt }: Fields, { imports }: Config): string | undefined {
  if (!isGiven(passwordHash)) return undefined
  const cost = { ln: imports.memoryCost, r: imports.rounds, p: 1 }
  const salted = Buffer.concat([base64(salt), base64(imports.saltSeparator)])
  return formatPhc({ id: 'firebase-scrypt', cost, salt: salted, hash: base64(passwordHash) })
}

/** Each value of `additionalParameters` is a list of one. */
function keycloakHash(credentials: unknown): string | undefined {
  const stored: Fields[] = Array.isArray(credentials) ? credentials.map(object) : []
  const password = stored.find(({ type }) => type === 'password')
  if (!password) return undefined
  const { value, salt } = nested(password.secretData)
  const { algorithm, hashIterations, additionalParameters } = nested(password.credentialData)
  const [id, i] = [String(algorithm), Number(hashIterations)]
  const parts = { salt: base64(salt), hash: base64(value) }
  if (id !== 'argon2') return formatPhc({ id: id === 'pbkdf2' ? 'pbkdf2-sha1' : id, cost: { i }, ...parts })
  const { memory, parallelism, type, version } = object(additionalParameters)
  const cost = { m: Number(memory), t: i, p: Number(parallelism) }
  return formatPhc({ id: `argon2${type}$v=${String(version) === '1.0' ? 16 : 19}`, cost, ...parts })
}

/** The columns of `firebase auth:export users.csv`, which has no line of names. Those between are of other providers. */
const firebaseColumns = ['localId', 'email', 'emailVerified', 'passwordHash', 'salt']
for (let at = 5; at < 23; at += 1) firebaseColumns.push(`column ${at}`)
firebaseColumns.push('createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled')

/** The formats of `--format`, by name. */
export const exportFormats: Record<string, ExportFormat> = {
  auth0: {
    toLine: (user) => ({
      external_id: user.user_id ?? user.Id ?? object(user._id).$oid,
      username: user.username ?? user.Username,
      email: user.email ?? user.Email,
      is_verified: isTrue(user.email_verified ?? user['Email Verified']),
      is_active: !isTrue(user.blocked),
      hashed_password: user.passwordHash ?? user.password_hash,
      created_at: time(user.created_at ?? user['Created At']),
    }),
  },
  clerk: {
    toLine: (user) => ({
      external_id: user.id,
      username: user.username,
      email: user.primary_email_address,
      is_verified: String(user.verified_email_addresses ?? '')
        .split(/[\s,;|]+/)
        .includes(String(user.primary_email_address)),
      is_active: !isTrue(user.banned),
      hashed_password: user.password_digest,
      created_at: time(user.created_at),
    }),
  },
  django: {
    toLine(record) {
      const user = { ...record, ...object(record.fields) } as Fields
      return {
        external_id: record.pk ?? record.id,
        username: user.username,
        email: user.email,
        is_active: user.is_active === undefined || isTrue(user.is_active),
        is_superuser: isTrue(user.is_superuser),
        hashed_password: isUnusable(user.password) ? undefined : user.password,
        created_at: time(user.date_joined),
      }
    },
  },
  firebase: {
    array: 'users',
    columns: firebaseColumns,
    missing: ({ imports }) => (imports.signerKey ? undefined : 'FIREBASE_SIGNER_KEY'),
    toLine: (user, { config }) => ({
      external_id: user.localId,
      email: user.email,
      is_verified: isTrue(user.emailVerified),
      is_active: !isTrue(user.disabled),
      hashed_password: firebaseHash(user, config),
      created_at: time(user.createdAt),
    }),
  },
  forge: {
    isLines: true,
    toLine: (user) => ({
      external_id: user.id,
      username: user.username,
      email: user.email,
      is_active: user.is_active === undefined || isTrue(user.is_active),
      is_verified: isTrue(user.is_verified),
      is_superuser: isTrue(user.is_superuser),
      hashed_password: isUnusable(user.hashed_password) ? undefined : user.hashed_password,
      created_at: time(user.created_at),
    }),
  },
  keycloak: {
    array: 'users',
    toLine: (user) => ({
      external_id: user.id,
      username: user.username,
      email: user.email,
      is_verified: isTrue(user.emailVerified),
      is_active: user.enabled === undefined || isTrue(user.enabled),
      hashed_password: keycloakHash(user.credentials),
      created_at: time(user.createdTimestamp),
    }),
  },
  laravel: {
    toLine: (user) => ({
      external_id: user.id,
      username: user.username,
      email: user.email,
      is_verified: isGiven(user.email_verified_at),
      hashed_password: user.password,
      created_at: time(user.created_at),
    }),
  },
  supabase: {
    toLine: ({ banned_until: bannedUntil, deleted_at: deletedAt, ...user }, { now }) => ({
      external_id: user.id,
      username: user.username,
      email: user.email,
      is_verified: isGiven(user.email_confirmed_at ?? user.confirmed_at),
      // A ban without a readable end, such as `infinity`, has not ended.
      is_active:
        !isGiven(deletedAt) && !(isGiven(bannedUntil) && !(Date.parse(String(time(bannedUntil))) <= now)),
      hashed_password: user.encrypted_password,
      created_at: time(user.created_at),
    }),
  },
  wordpress: {
    toLine: (user) => ({
      external_id: user.ID,
      username: user.user_login,
      email: user.user_email,
      hashed_password: user.user_pass,
      created_at: time(user.user_registered),
    }),
  },
}

/** The line of a record, as our own format has it: ids as texts, without what is not given. */
export function lineOf(format: ExportFormat, record: Fields, reading: Reading): Fields {
  const line = format.toLine(record, reading)
  const { external_id: id } = line
  const given = Object.entries({ ...line, external_id: typeof id === 'number' ? String(id) : id })
  return Object.fromEntries(given.filter(([, value]) => isGiven(value)))
}
