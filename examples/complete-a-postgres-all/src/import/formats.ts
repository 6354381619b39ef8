import type { Config } from '../config.ts'
import { formatPhc } from '../passwords/foreign/phc.ts'
import { parseJson } from './json.ts'
import type { FileSyntax } from './records.ts'
import { isAbsent, says, timeOf } from './values.ts'

export type Fields = Record<string, unknown>

/** What reading a record can depend on. `now` is in milliseconds since 1970. */
interface Reading {
  config: Config
  now: number
  /** Gets what users have there, and will not have here. */
  note(what: string): void
}

/** Where a format has it: the first of these columns that a record has counts, also if it is null. */
type Columns = readonly string[]

/** How a system exports its users. A column can be `a.b`, b of the object a. */
export interface ExportFormat extends FileSyntax {
  /** The object of a record that has its columns. */
  inside?: string
  id?: Columns
  username?: Columns
  password?: Columns
  created?: Columns
  /** Says that the address is verified. Here and below, a column whose name ends in at is a time, and others are true or false. */
  verified?: Columns
  /** Each says that the user may log in. One that the record does not have does not count. */
  active?: Columns
  /** Each says that the user may not log in. Until a time, if its name ends in until. */
  inactive?: Columns
  superuser?: Columns
  secondFactor?: Columns
  phone?: Columns
  /** What is not as the columns say. */
  read?(user: Fields, reading: Reading): Fields
  /** The setting without which no user of the file could log in, if it is missing. */
  missing?(config: Config): string | undefined
}

const object = (value: unknown): Fields =>
  typeof value === 'object' && value !== null ? (value as Fields) : {}

const list = (value: unknown): unknown[] => (Array.isArray(value) ? value : [])

const base64 = (value: unknown): Buffer => Buffer.from(String(value ?? ''), 'base64')

/** The columns of `firebase auth:export users.csv`, which has no line of names. Those between are of other providers. */
const firebaseColumns = ['localId', 'email', 'emailVerified', 'passwordHash', 'salt']
for (let at = 5; at < 23; at += 1) firebaseColumns.push(`column ${at}`)
firebaseColumns.push('createdAt', 'lastSignedInAt', 'phoneNumber', 'disabled', 'customAttributes', 'end')

/** A hash without a salt is of a user of another system. It would match no password. */
function readFirebase(user: Fields, { config: { imports } }: Reading): Fields {
  const salt = user.salt ?? user.passwordSalt
  if (isAbsent(user.passwordHash) || isAbsent(salt)) return { hashed_password: undefined }
  const cost = { ln: imports.memoryCost, r: imports.rounds, p: 1 }
  const salted = Buffer.concat([base64(salt), base64(imports.saltSeparator)])
  const hash = base64(user.passwordHash)
  return { hashed_password: formatPhc({ id: 'firebase-scrypt', cost, salt: salted, hash }) }
}

/** Each value of `additionalParameters` is a list of one. Before version 8, a credential had no JSON in texts. */
function keycloakHash(password: Fields): string | undefined {
  const secret = object(parseJson(String(password.secretData ?? '')))
  const data = { ...password, ...object(parseJson(String(password.credentialData ?? ''))) }
  const value = String(secret.value ?? password.hashedSaltedValue ?? '')
  if (value.startsWith('$')) return value
  const [id, i] = [String(data.algorithm), Number(data.hashIterations)]
  const parts = { salt: base64(secret.salt ?? password.salt), hash: base64(value) }
  if (value === '' || !/^(argon2|pbkdf2(-sha\d+)?)$/.test(id)) return undefined
  if (id !== 'argon2') return formatPhc({ id: id === 'pbkdf2' ? 'pbkdf2-sha1' : id, cost: { i }, ...parts })
  const { memory, parallelism, type, version } = object(data.additionalParameters)
  const cost = { m: Number(memory), t: i, p: Number(parallelism) }
  return formatPhc({ id: `argon2${type}$v=${String(version) === '1.0' ? 16 : 19}`, cost, ...parts })
}

function readKeycloak(user: Fields): Fields {
  const actions = list(user.requiredActions)
  const password = list(user.credentials)
    .map(object)
    .find(({ type }) => type === 'password')
  const isToChange = actions.includes('UPDATE_PASSWORD') || says('temporary', password?.temporary, 0)
  return {
    ...(actions.includes('VERIFY_EMAIL') && { is_verified: false }),
    hashed_password: !password || isToChange ? null : keycloakHash(password),
  }
}

/** The format without `--format`. */
export const ownFormat: ExportFormat = { isJson: true, id: ['external_id'] }

/** The formats of `--format`, by name. */
export const exportFormats: Record<string, ExportFormat> = {
  auth0: {
    id: ['user_id', 'Id', '_id.$oid'],
    username: ['username', 'Username'],
    email: ['email', 'Email'],
    password: ['passwordHash', 'password_hash'],
    created: ['created_at', 'Created At'],
    verified: ['email_verified', 'Email Verified'],
    inactive: ['blocked', 'Blocked'],
    secondFactor: ['multifactor', 'Multifactor', 'mfa_factors'],
    phone: ['phone_number', 'Phone Number'],
  },
  clerk: {
    email: ['primary_email_address'],
    password: ['password_digest'],
    inactive: ['banned', 'locked'],
    secondFactor: ['totp_secret', 'totp_enabled', 'two_factor_enabled'],
    phone: ['primary_phone_number'],
    read: ({ verified_email_addresses: verified, primary_email_address: email }) => ({
      is_verified: !isAbsent(email) && `${verified}`.split(/[\s,;|]+/).includes(`${email}`),
    }),
  },
  django: {
    inside: 'fields',
    id: ['pk', 'id'],
    created: ['date_joined'],
    active: ['is_active'],
    superuser: ['is_superuser'],
  },
  firebase: {
    columns: firebaseColumns,
    missing: ({ imports }) => (imports.signerKey ? undefined : 'FIREBASE_SIGNER_KEY'),
    id: ['localId', 'uid'],
    password: ['passwordHash'],
    created: ['createdAt', 'metadata.creationTime'],
    verified: ['emailVerified'],
    inactive: ['disabled'],
    secondFactor: ['mfaInfo', 'multiFactor.enrolledFactors'],
    phone: ['phoneNumber'],
    read: readFirebase,
  },
  forge: {
    isJson: true,
    password: ['hashed_password'],
    verified: ['is_verified'],
    active: ['is_active'],
    superuser: ['is_superuser'],
  },
  keycloak: {
    password: ['credentials'],
    created: ['createdTimestamp'],
    verified: ['emailVerified'],
    active: ['enabled'],
    secondFactor: ['totp'],
    read: readKeycloak,
  },
  laravel: {
    verified: ['email_verified_at'],
    active: ['is_active', 'active'],
    inactive: 'deleted_at banned_at blocked_at suspended_at disabled_at is_banned is_blocked'.split(' '),
    secondFactor: ['two_factor_confirmed_at', 'two_factor_secret'],
    phone: ['phone'],
  },
  supabase: {
    password: ['encrypted_password'],
    // The latter is also set by a telephone number.
    verified: ['email_confirmed_at', 'confirmed_at'],
    inactive: ['banned_until', 'deleted_at'],
    secondFactor: ['factors'],
    phone: ['phone'],
  },
  wordpress: {
    id: ['ID'],
    username: ['user_login'],
    email: ['user_email'],
    password: ['user_pass'],
    created: ['user_registered'],
    inactive: ['spam', 'deleted', 'user_status'],
  },
}

/** The first of these columns that the record has, and its value. */
function find(record: Fields, columns: Columns = []): [column: string, value: unknown] {
  for (const column of columns) {
    const value = column.split('.').reduce<unknown>((part, name) => object(part)[name], record)
    if (value !== undefined) return [column, value]
  }
  return ['', undefined]
}

/** The id and the email of a record, if they are texts. */
export function whoIs(format: ExportFormat, record: Fields | string): { id?: string; email?: string } {
  if (typeof record === 'string') return {}
  const [column, id] = find(record, format.id ?? ['id'])
  const [, email] = find(record, format.email ?? ['email', `${format.inside}.email`])
  return {
    // Auth0's export of hashes leaves out the first part of its ids.
    ...(typeof id === 'string' && { id: column === '_id.$oid' ? `auth0|${id}` : id }),
    ...(typeof email === 'string' && { email }),
  }
}

/** Django writes `!` and random letters for users without a password. */
const isPassword = (value: unknown): boolean => !isAbsent(value) && !String(value).startsWith('!')

const isEmpty = (value: unknown): boolean =>
  Object(value) === value
    ? Object.keys(Object(value)).length === 0
    : /^(|null|0|false|f|\[\]|\{\})$/i.test(String(value ?? ''))

/**
 * The line of a record, as our own format has it, without what is not given.
 * @throws CommandError if a column contains what this format does not know
 */
export function lineOf(format: ExportFormat, given: Fields, reading: Reading): Fields {
  const { note } = reading
  const record = format.inside ? { ...given, ...object(given[format.inside]) } : given
  const value = (columns?: Columns) => find(record, columns)[1]
  const isSo = (columns?: Columns) => says(...find(record, columns), reading.now)
  const [, password] = find(record, format.password ?? ['password'])
  const created = value(format.created ?? ['created_at'])
  const createdAt = timeOf(created)
  const line: Fields = {
    external_id: whoIs(format, given).id ?? value(format.id ?? ['id']),
    username: value(format.username ?? ['username']),
    email: value(format.email ?? ['email']),
    is_active:
      (format.active ?? []).every((column) => value([column]) === undefined || isSo([column])) &&
      !(format.inactive ?? []).some((column) => isSo([column])),
    is_verified: isSo(format.verified),
    hashed_password: isPassword(password) ? password : undefined,
    created_at: Number.isNaN(createdAt) ? created : new Date(createdAt).toISOString(),
    ...format.read?.(record, reading),
  }
  if (isSo(format.superuser)) note('superuser')
  if (!isEmpty(value(format.secondFactor))) note('a second factor')
  if (isAbsent(line.email) && !isEmpty(value(format.phone))) note('only a phone number')
  if (isPassword(password) && line.hashed_password === undefined) note('a password that cannot be read')
  const isGiven = (each: unknown) => !isAbsent(each) && !/^0000-00-00/.test(String(each))
  return Object.fromEntries(Object.entries(line).filter(([, each]) => isGiven(each)))
}
