import { logIn, register } from './accounts.ts'
import type { TestApp } from './app.ts'

/** What causes each event, once. Each file in events/ exports some by default. */
export type Actions = Record<string, (app: TestApp) => Promise<unknown>>

/** Registers alice and logs them in. */
export async function loggedIn(app: TestApp) {
  const { id } = await register(app)
  return { id, token: await logIn(app) }
}
