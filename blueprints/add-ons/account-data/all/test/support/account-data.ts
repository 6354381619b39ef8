import { bearer, password } from './accounts.ts'
import type { TestApp } from './app.ts'

/** DELETE /users/me, with or without a token. */
export const deleteMe = (app: TestApp, token?: string, body: object = { current_password: password }) =>
  app.inject({
    method: 'DELETE',
    url: '/api/v1/users/me',
    headers: token === undefined ? {} : bearer(token),
    body,
  })

/** GET /users/me/export. */
export const getExport = (app: TestApp, token: string) =>
  app.inject({ url: '/api/v1/users/me/export', headers: bearer(token) })
