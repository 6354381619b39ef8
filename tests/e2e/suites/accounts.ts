import { expect } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import type { Client } from '../harness/client.ts'
import type { Entry } from './process.ts'

export type Profile = 'A' | 'B'

/** A mode with accounts, in one profile. Mode complete adds fields to the responses of mode basic. */
export interface Variant {
  mode: 'basic' | 'complete'
  profile: Profile
}

/** `value` in mode complete, and an empty object in mode basic. */
export const inComplete = <Value extends object>({ mode }: Variant, value: Value): Partial<Value> =>
  mode === 'complete' ? value : {}

/** The fields of UserResponse, sorted. */
export const userFields = ({ mode }: Variant): string[] => {
  const verified = mode === 'complete' ? ['is_verified'] : []
  return ['created_at', 'email', 'id', 'is_active', ...verified, 'username']
}

export const REGISTER = '/api/v1/auth/register'
export const LOGIN = '/api/v1/auth/login'
export const ME = '/api/v1/users/me'

const ADMIN = '/api/v1/admin/users'

const adminPaths = {
  [ADMIN]: ['get'],
  [`${ADMIN}/{id}`]: ['get'],
  [`${ADMIN}/{id}/activate`]: ['post'],
  [`${ADMIN}/{id}/deactivate`]: ['post'],
  [`${ADMIN}/{id}/end-sessions`]: ['post'],
}

const totpPaths = {
  '/api/v1/auth/mfa': ['get', 'post'],
  '/api/v1/auth/recovery-codes': ['post'],
  '/api/v1/auth/totp/setup': ['post'],
  '/api/v1/auth/totp/confirm': ['post'],
  '/api/v1/auth/totp/disable': ['post'],
}

const passkeyPaths = {
  '/api/v1/auth/passkeys': ['get', 'post'],
  '/api/v1/auth/passkeys/login': ['post'],
  '/api/v1/auth/passkeys/login/options': ['post'],
  '/api/v1/auth/passkeys/options': ['post'],
  '/api/v1/auth/passkeys/{id}': ['delete', 'patch'],
}

const oidcPaths = {
  '/api/v1/auth/identities': ['get'],
  '/api/v1/auth/identities/{id}': ['delete'],
  '/api/v1/auth/oidc': ['get'],
  '/api/v1/auth/oidc/exchange': ['post'],
  '/api/v1/auth/oidc/{provider}': ['get'],
  '/api/v1/auth/oidc/{provider}/callback': ['get'],
  '/api/v1/auth/oidc/{provider}/link': ['post'],
}

const emailLoginPaths = {
  '/api/v1/auth/email-login': ['post'],
  '/api/v1/auth/email-login/confirm': ['post'],
}

/** The add-ons that bring steps of a sign-in. */
const hasSteps = (addOns: string | string[]) =>
  ['oidc', 'passkeys', 'totp'].some((addOn) => addOns.includes(addOn))

const gatewayPaths = {
  '/api/v1/auth/check': ['get', 'head'],
  '/api/v1/auth/introspect': ['post'],
}

/** The claims that the add-ons of a project put into the token of a login by password. */
export const addOnClaims = ({ answers: { addOns = '' } }: Report): object =>
  hasSteps(addOns) ? { amr: ['pwd'] } : {}

/** The operations of add-ons in the OpenAPI document of a project. */
export const addOnPaths = ({ answers: { addOns = '' } }: Report): Record<string, string[]> => ({
  ...(addOns.includes('account-data') && {
    [ME]: ['delete', 'get', 'head', 'put'],
    [`${ME}/export`]: ['get'],
  }),
  ...(addOns.includes('admin') && adminPaths),
  ...(addOns.includes('email-login') && emailLoginPaths),
  // Profile B has it without the add-on.
  ...(addOns.includes('cookies') && { '/api/v1/auth/logout': ['post'] }),
  ...(addOns.includes('gateway') && gatewayPaths),
  ...(addOns.includes('service-clients') && { '/api/v1/auth/token': ['post'] }),
  ...(addOns.includes('oidc') && oidcPaths),
  ...(addOns.includes('passkeys') && passkeyPaths),
  ...(addOns.includes('totp') && totpPaths),
  ...(hasSteps(addOns) && { '/api/v1/auth/undo-additions': ['post'] }),
  ...(addOns.includes('passkeys') &&
    addOns.includes('totp') && { '/api/v1/auth/mfa/passkey/options': ['post'] }),
})

export const PASSWORD = 'Correct-Horse-7'

/** The registration body of a new user. */
export const newUser = (username: string) => ({
  username,
  email: `${username}@example.com`,
  password: PASSWORD,
})

/** Accounts as the entries that a client can add and read. */
export const account: Entry = {
  path: REGISTER,
  body: (n) => newUser(`user${n}`),
  has: async (service, n) => {
    const { username, password } = newUser(`user${n}`)
    return (await service.post(LOGIN, { username, password })).status === 200
  },
}

/** Registers a user and logs in. */
export async function loggedIn(service: Client, username: string): Promise<{ id: number; token: string }> {
  const registered = await service.post(REGISTER, newUser(username))
  expect(registered.status).toBe(201)
  const login = await service.post(LOGIN, { username, password: PASSWORD })
  expect(login.status).toBe(200)
  return { id: registered.body.id, token: login.body.access_token }
}
