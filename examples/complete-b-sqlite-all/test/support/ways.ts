import { readdirSync } from 'node:fs'
import type { ProblemName } from '../../src/errors/api-error.ts'
import type { TestApp } from './app.ts'
import type { post } from './flows.ts'

/** A way to log in. Each file of ways/ exports one by default. */
export interface Way {
  name: string
  /** Settings that it needs. */
  env?: Record<string, string>
  /** Adds what `begin` needs to an app that has answered no request. */
  prepare?: (app: TestApp) => void
  /** Logs a user in, up to the second factor. */
  begin: (app: TestApp, id: number) => ReturnType<typeof post>
  /** What it proves (RFC 8176). */
  amr: string[]
  /** What it answers for an inactive user. */
  refusal: ProblemName
  /** Whether it lets an unverified user in, whom the guards hold to verifying. */
  admitsUnverified?: boolean
  /** Whether it verifies the user's address. */
  provesAddress?: boolean
}

const folder = new URL('ways/', import.meta.url)

export const ways: Way[] = await Promise.all(
  readdirSync(folder).map(async (file) => (await import(new URL(file, folder).href)).default),
)
