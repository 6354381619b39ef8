import type { LightMyRequestResponse } from 'fastify'
import { type Caller, findCaller } from '../../src/sessions/caller.ts'
import { type UserChange, updateUser } from '../../src/users/users.ts'
import type { TestApp } from './app.ts'

/** A password that meets the rules of both profiles. */
export const password = 'Correct-Horse-7'

/** Registers a user through the API. @returns the response body */
export async function register(
  app: TestApp,
  username = 'alice',
  given = password,
  email = `${username.toLowerCase()}@example.com`,
) {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/auth/register',
    body: { email, username, password: given },
  })
  if (response.statusCode !== 201)
    throw new Error(`register answered ${response.statusCode}: ${response.body}`)
  return response.json<{ id: number; email: string; username: string }>()
}

/** Logs a user in through the API. @returns the access token */
export async function logIn(app: TestApp, username = 'alice', given = password): Promise<string> {
  const response = await app.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    body: { username, password: given },
  })
  if (response.statusCode !== 200) throw new Error(`login answered ${response.statusCode}: ${response.body}`)
  return response.json<{ access_token: string }>().access_token
}

/** The header that a client sends with an access token. */
export const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

/** GET /users/me, with or without a token. */
export const getMe = (app: TestApp, token?: string) =>
  app.inject({ url: '/api/v1/users/me', headers: token === undefined ? {} : bearer(token) })

/** PUT /users/me: changes the email. */
export const putMe = (app: TestApp, token: string, body: object) =>
  app.inject({ method: 'PUT', url: '/api/v1/users/me', headers: bearer(token), body })

/** Logs in and returns the whole response. */
export const tryLogIn = (app: TestApp, username: string, given: string, remoteAddress = '192.0.2.1') =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/login',
    remoteAddress,
    body: { username, password: given },
  })

/** Reads the user's row from the database. */
export async function readUser(app: TestApp, id: number) {
  const user = await app.ctx.users.findById(id)
  if (!user) throw new Error(`There is no user ${id}`)
  return user
}

/** The caller that a guard finds for an access token. */
export async function callerOf({ ctx }: TestApp, token: string): Promise<Caller> {
  const caller = await findCaller(ctx, ctx.accessTokens.verify(token))
  if (!caller) throw new Error('The token is refused')
  return caller
}

/** Changes a user's row in the database, not through the API. */
export const changeUser = (app: TestApp, id: number, change: UserChange) =>
  app.db.transaction((tx) => updateUser(tx, id, change))

/** A response without the parts that differ for each request. */
export function comparable({ statusCode, headers, body }: LightMyRequestResponse) {
  const { 'x-request-id': _id, date: _date, ...otherHeaders } = headers
  return { statusCode, headers: otherHeaders, body: body.replace(/"request_id":"[^"]*"/, '') }
}
