import { putMe } from './accounts.ts'
import type { TestApp } from './app.ts'

/** Changes the address of the user of an access token. @returns the response */
export const changeEmail = (app: TestApp, accessToken: string, email: string) =>
  putMe(app, accessToken, { email })
