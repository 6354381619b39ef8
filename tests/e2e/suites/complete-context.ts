import { expect } from 'vitest'
import type { Answer, Client } from '../harness/client.ts'
import { MAIL_LOGIN, type Mail, type MailServer } from '../harness/mail-server.ts'
import type { Secrets } from '../harness/secrets.ts'
import { LOGIN, ME, newUser, PASSWORD, type Profile, REGISTER } from './accounts.ts'

export const auth = (name: string) => `/api/v1/auth/${name}`
export const NEW_PASSWORD = 'Better-Horse-8'
export const FRONTEND_URL = 'https://app.my-api.test'

/** A service of mode complete that sends its mails to a mail server. */
export interface Complete {
  profile: Profile
  service: () => Client
  mailServer: () => MailServer
  secrets: Secrets
  /** Runs a check after the service has stopped, when no more mail can arrive. */
  atEnd(check: () => void): void
}

/** Settings that send mails to a local server, with the profile's setting names. */
export function mailSettings(profile: Profile, { port }: Pick<MailServer, 'port'>): Record<string, string> {
  const [server, user, sender] =
    profile === 'A' ? ['SMTP', 'SMTP', 'EMAILS_FROM'] : ['EMAIL', 'EMAIL_HOST', 'EMAIL_FROM']
  return {
    [`${server}_HOST`]: '127.0.0.1',
    [`${server}_PORT`]: String(port),
    [`${user}_USER`]: MAIL_LOGIN.user,
    [`${user}_PASSWORD`]: MAIL_LOGIN.password,
    [`${sender}_EMAIL`]: 'accounts@my-api.test',
    [`${sender}_NAME`]: 'My API',
    FRONTEND_URL,
  }
}

/** Half the default pool for instances that share a server, because a server allows 100 connections by default. */
export const SMALL_POOL = { DATABASE_POOL_SIZE: '5' }

export type Kind = 'verification' | 'change' | 'reset'

export const subjects: Record<Profile, Record<Kind, string>> = {
  A: {
    verification: 'Confirm your email address',
    change: 'Confirm your new email address',
    reset: 'Reset your password',
  },
  B: {
    verification: 'Your verification code',
    change: 'Confirm your new email address',
    reset: 'Your password reset code',
  },
}

/** Waits for the next mail of a kind to an address. @returns its token or code */
export async function mailed(
  { profile, mailServer, secrets }: Complete,
  kind: Kind,
  to: string,
): Promise<string> {
  const mail = await mailServer().next(to, subjects[profile][kind])
  const token = tokenIn(profile, kind, mail)
  secrets.add(token)
  secrets.add(linkTo(kind, token))
  return token
}

/** Reads the token or code from a mail, and checks that both parts of the mail contain it. */
export function tokenIn(profile: Profile, kind: Kind, { text, html }: Pick<Mail, 'text' | 'html'>): string {
  if (profile === 'B') {
    const [code = ''] = /\b(?:[0-9A-HJKMNP-TV-Z]{4}-){3}[0-9A-HJKMNP-TV-Z]{4}\b/.exec(text) ?? []
    expect(text).toContain(code)
    expect(html).toContain(code)
    expect(code).not.toBe('')
    expect(text).toContain(linkTo(kind, code))
    return code
  }
  const [, token = ''] = /#token=([\w-]{43})\s/.exec(text) ?? []
  expect(text).toContain(linkTo(kind, token))
  // HTML may contain a character reference for a slash or an equals sign.
  const unescaped = html.replaceAll(/&#x([0-9A-F]{2});/g, (_reference, hex) =>
    String.fromCharCode(Number.parseInt(hex, 16)),
  )
  expect(unescaped).toContain(`href="${linkTo(kind, token)}"`)
  return token
}

const linkTo = (kind: Kind, token: string): string =>
  `${FRONTEND_URL}/${kind === 'reset' ? 'reset-password' : 'verify-email'}#token=${token}`

export interface Tokens {
  access: string
  refresh: string
}

/** The tokens in the response to a login, refresh or password change. */
export function tokensIn({ status, body, text }: Answer): Tokens {
  expect(status, text).toBe(200)
  expect(body).toEqual({
    access_token: expect.any(String),
    token_type: 'bearer',
    expires_in: expect.any(Number),
    refresh_token: expect.any(String),
  })
  return { access: body.access_token, refresh: body.refresh_token }
}

export const logIn = (service: Client, username: string, password = PASSWORD, device: object = {}) =>
  service.post(LOGIN, { username, password, ...device })

export const refresh = (service: Client, token: string) =>
  service.post(auth('refresh'), { refresh_token: token })

/** The status of users/me for an access token: 200 until its session ends. */
export const meStatus = async (service: Client, token: string) => (await service.get(ME, { token })).status

/** Registers a user and logs in. */
export async function newSession(service: Client, username: string): Promise<Tokens> {
  expect((await service.post(REGISTER, newUser(username))).status).toBe(201)
  return tokensIn(await logIn(service, username))
}

/** The parts of a response that could reveal something: all except its date and request id. */
export function told({ status, headers, text, body }: Answer) {
  const own = ['date', 'x-request-id']
  return {
    status,
    headers: [...headers].filter(([name]) => !own.includes(name)),
    text: body?.request_id ? text.replace(body.request_id, '') : text,
  }
}
