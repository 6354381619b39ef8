import { expect, test } from 'vitest'
import { exportFormats, lineOf } from '../../src/import/formats.ts'
import { shareTestApp } from '../support/app.ts'

const { config } = await shareTestApp()
const now = Date.parse('2026-01-01T00:00:00Z')

/** What a record of a format becomes: whether they may log in, are verified, and what the report counts. */
function read(format: string, record: object) {
  const notes: string[] = []
  const reading = { config, now, note: (what: string) => void notes.push(what) }
  const line = lineOf(exportFormats[format] ?? {}, { email: 'ada@example.com', ...record }, reading)
  return { ...line, notes }
}

const past = '2025-01-15 10:30:00.123456+00'
const future = '2026-01-02 00:00:00+00'

// Someone whom the other system has locked out would be back.
test.each<[format: string, inactive: object[], active: object[]]>([
  ['auth0', [{ blocked: true }, { Blocked: 'true' }], [{}, { blocked: false }, { blocked: null }]],
  ['clerk', [{ banned: true }, { locked: 'TRUE' }], [{ banned: false }, { banned: '' }]],
  [
    'django',
    [{ is_active: false }, { fields: { is_active: 'f' } }, { is_active: null }],
    [{}, { is_active: '1' }],
  ],
  ['firebase', [{ disabled: true }, { disabled: 'true' }], [{}, { disabled: '' }]],
  ['forge', [{ is_active: false }, { is_active: '' }], [{}, { is_active: true }]],
  ['keycloak', [{ enabled: false }, { enabled: null }], [{}, { enabled: true }]],
  [
    'laravel',
    [{ deleted_at: past }, { banned_at: '2024-01-01' }, { suspended_at: '1704164645' }, { is_active: '0' }],
    [{ deleted_at: null }, { deleted_at: '0000-00-00 00:00:00', banned_at: 'null' }, { is_active: 1 }],
  ],
  [
    'supabase',
    [{ banned_until: future }, { banned_until: 'infinity' }, { deleted_at: past }],
    [{ banned_until: past }, { banned_until: '' }],
  ],
  [
    'wordpress',
    [{ spam: '1' }, { deleted: '1' }, { user_status: '2' }],
    [{ spam: '0', deleted: '', user_status: '0' }],
  ],
])('%s: who may not log in there may not here', (format, inactive, active) => {
  for (const record of inactive)
    expect(read(format, record), JSON.stringify(record)).toMatchObject({ is_active: false })
  for (const record of active)
    expect(read(format, record), JSON.stringify(record)).toMatchObject({ is_active: true })
})

// Someone who registered there with the address of another person would own it here.
test.each<[format: string, verified: object[], not: object[]]>([
  [
    'auth0',
    [{ email_verified: true }, { 'Email Verified': 'true' }],
    [{}, { email_verified: false, 'Email Verified': 'true' }],
  ],
  [
    'clerk',
    [{ primary_email_address: 'a@b.c', verified_email_addresses: 'x@y.z|a@b.c' }],
    [{ primary_email_address: 'a@b.c' }],
  ],
  ['django', [], [{ is_active: true }]],
  ['firebase', [{ emailVerified: 'true' }], [{ emailVerified: 'false' }, {}]],
  ['forge', [{ is_verified: true }], [{}]],
  ['keycloak', [{ emailVerified: true }], [{ emailVerified: true, requiredActions: ['VERIFY_EMAIL'] }]],
  [
    'laravel',
    [{ email_verified_at: past }, { email_verified_at: '2024-03-01' }],
    [
      {},
      { email_verified_at: '0000-00-00 00:00:00' },
      { email_verified_at: 'null' },
      { email_verified_at: '0' },
    ],
  ],
  [
    'supabase',
    [{ email_confirmed_at: past }, { confirmed_at: past }],
    [
      { email_confirmed_at: null, confirmed_at: past },
      { email_confirmed_at: '', confirmed_at: past },
    ],
  ],
  ['wordpress', [], [{ user_status: '0' }]],
])('%s: only who is verified there is verified', (format, verified, not) => {
  for (const record of verified)
    expect(read(format, record), JSON.stringify(record)).toMatchObject({ is_verified: true })
  for (const record of not)
    expect(read(format, record), JSON.stringify(record)).toMatchObject({ is_verified: false })
})

// Neither a yes nor a no: the record is refused.
test.each<[string, object, string]>([
  ['laravel', { email_verified_at: 'soon' }, 'email_verified_at: Must be a time until now'],
  ['laravel', { email_verified_at: '1' }, 'email_verified_at: Must be a time until now'],
  ['laravel', { email_verified_at: future }, 'email_verified_at: Must be a time until now'],
  ['laravel', { deleted_at: 'x' }, 'deleted_at: Must be a time until now'],
  ['supabase', { deleted_at: { $date: past } }, 'deleted_at: Must be a time until now'],
  ['wordpress', { spam: 'maybe' }, 'spam: Must be true or false'],
  ['auth0', { blocked: [true] }, 'blocked: Must be true or false'],
  ['forge', { is_active: 'inactive' }, 'is_active: Must be true or false'],
])('%s: %j is refused', (format, record, message) => {
  expect(() => read(format, record)).toThrow(message)
})

test.each<[string, object, string]>([
  ['auth0', { multifactor: ['guardian'] }, 'a second factor'],
  ['clerk', { totp_secret: 'x' }, 'a second factor'],
  ['keycloak', { totp: true }, 'a second factor'],
  ['laravel', { two_factor_secret: 'x' }, 'a second factor'],
  ['firebase', { mfaInfo: [{ mfaEnrollmentId: 'x' }] }, 'a second factor'],
  ['supabase', { email: null, phone: '15550110' }, 'only a phone number'],
  ['firebase', { email: undefined, phoneNumber: '+15550110' }, 'only a phone number'],
  ['firebase', { passwordHash: 'eA==' }, 'a password that cannot be read'],
  ['keycloak', { credentials: [{ type: 'password', value: 'plain' }] }, 'a password that cannot be read'],
  ['django', { is_superuser: true }, 'superuser'],
])('%s: the report counts %j', (format, record, note) => {
  const { notes, ...line } = read(format, record)
  expect(notes).toEqual([note])
  expect(line).not.toHaveProperty('hashed_password')
})

const keycloak = { type: 'password', hashedSaltedValue: 'aGFzaGhhc2hoYXNoaGFzaA==', salt: 'c2FsdA==' }

test('Keycloak: the credentials of version 7, of the provider bcrypt, and those to be changed', () => {
  const hashOf = (credential: object, user = {}) =>
    read('keycloak', { credentials: [credential], ...user }) as {
      hashed_password?: string
      notes: string[]
    }
  const old = { ...keycloak, algorithm: 'pbkdf2-sha256', hashIterations: 27500 }
  const stored = '$pbkdf2-sha256$i=27500$c2FsdA$aGFzaGhhc2hoYXNoaGFzaA'
  expect(hashOf(old).hashed_password).toBe(stored)
  const secretData = JSON.stringify({ value: '$2a$10$abc', salt: '' })
  const bcrypt = {
    type: 'password',
    secretData,
    credentialData: '{"algorithm":"bcrypt","hashIterations":10}',
  }
  expect(hashOf(bcrypt).hashed_password).toBe('$2a$10$abc')
  for (const user of [
    { requiredActions: ['UPDATE_PASSWORD'] },
    { credentials: [{ ...old, temporary: true }] },
  ])
    expect(hashOf(old, user)).toMatchObject({ notes: [] })
  expect(hashOf(old, { requiredActions: ['UPDATE_PASSWORD'] })).not.toHaveProperty('hashed_password')
})

test('a time is read as databases and SDKs write it', () => {
  for (const created_at of [
    '2024-01-02T03:04:05Z',
    '2024-01-02 04:04:05+01',
    '1704164645',
    '1704164645000',
    'Tue, 02 Jan 2024 03:04:05 GMT',
  ])
    expect(read('laravel', { created_at }), created_at).toMatchObject({
      created_at: '2024-01-02T03:04:05.000Z',
    })
  expect(read('laravel', { created_at: '0000-00-00' })).not.toHaveProperty('created_at')
  expect(read('laravel', { created_at: 'soon' })).toMatchObject({ created_at: 'soon' })
})
