import { challengeOf } from './provider.js'

/** What proves a second factor. @param {any} given */
const proofOf = ({ code, recovery, credential }) => ({ code, recovery_code: recovery, credential })

/** The requests of actions: method, path and body. @type {Record<string, (given: any) => [string, string, (object | undefined)?]>} */
export const requests = {
  register: ({ name, email, password }) => ['POST', 'auth/register', { username: name, email, password }],
  login: ({ login, password, by = 'username' }) => ['POST', 'auth/login', { [by]: login, password }],
  me: () => ['GET', 'users/me'],
  put: ({ email, password }) => ['PUT', 'users/me', { email, current_password: password }],
  verify: ({ token }) => ['POST', 'auth/verify-email', { token }],
  resend: ({ email }) => ['POST', 'auth/resend-verification', { email }],
  forgot: ({ email }) => ['POST', 'auth/forgot-password', { email }],
  'ask-login': ({ email }) => ['POST', 'auth/email-login', { email }],
  'email-login': ({ token }) => ['POST', 'auth/email-login/confirm', { token }],
  reset: ({ token, password }) => ['POST', 'auth/reset-password', { token, new_password: password }],
  undo: ({ token }) => ['POST', 'auth/undo-email-change', { token }],
  delete: ({ password }) => ['DELETE', 'users/me', password && { current_password: password }],
  refresh: ({ refresh }) => ['POST', 'auth/refresh', { refresh_token: refresh }],
  logout: ({ refresh }) => [
    'POST',
    'auth/logout',
    refresh === undefined ? undefined : { refresh_token: refresh },
  ],
  'logout-all': () => ['POST', 'auth/logout-all'],
  'change-password': ({ password, next }) => [
    'POST',
    'auth/change-password',
    { current_password: password, new_password: next },
  ],
  'end-devices': () => ['DELETE', 'auth/devices'],
  'end-device': ({ id }) => ['DELETE', `auth/devices/${id}`],
  mfa: () => ['GET', 'auth/mfa'],
  'totp-setup': () => ['POST', 'auth/totp/setup'],
  'totp-confirm': ({ code, emailed }) => ['POST', 'auth/totp/confirm', { code, emailed_token: emailed }],
  'totp-disable': (given) => ['POST', 'auth/totp/disable', proofOf(given)],
  'recovery-codes': ({ code, credential }) => ['POST', 'auth/recovery-codes', { code, credential }],
  'mfa-login': ({ mfa, ...given }) => ['POST', 'auth/mfa', { mfa_token: mfa, ...proofOf(given) }],
  'mfa-options': ({ mfa }) => ['POST', 'auth/mfa/passkey/options', { mfa_token: mfa }],
  'undo-additions': ({ token }) => ['POST', 'auth/undo-additions', { token }],
  'passkey-options': ({ emailed, ...given }) => [
    'POST',
    'auth/passkeys/options',
    { emailed_token: emailed, ...proofOf(given) },
  ],
  'passkey-add': ({ name, emailed, credential }) => [
    'POST',
    'auth/passkeys',
    { name, emailed_token: emailed, credential },
  ],
  passkeys: () => ['GET', 'auth/passkeys'],
  'passkey-rename': ({ id, name }) => ['PATCH', `auth/passkeys/${id}`, { name }],
  'passkey-remove': ({ id, emailed, ...given }) => [
    'DELETE',
    `auth/passkeys/${id}`,
    { emailed_token: emailed, ...proofOf(given) },
  ],
  'passkey-login-options': () => ['POST', 'auth/passkeys/login/options'],
  'provider-exchange': ({ oneTime: code, verifier }) => [
    'POST',
    'auth/oidc/exchange',
    { code, code_verifier: verifier },
  ],
  'provider-link': ({ verifier, emailed, ...given }) => [
    'POST',
    'auth/oidc/acme/link',
    { code_challenge: challengeOf(verifier), emailed_token: emailed, ...proofOf(given) },
  ],
  identities: () => ['GET', 'auth/identities'],
  'identity-remove': ({ id, emailed, ...given }) => [
    'DELETE',
    `auth/identities/${id}`,
    { emailed_token: emailed, ...proofOf(given) },
  ],
  'passkey-login': ({ credential }) => ['POST', 'auth/passkeys/login', { credential }],
}
