import type { FastifyServerOptions } from 'fastify'
import { afterAll, onTestFinished } from 'vitest'
import { type AppOptions, buildApp } from '../src/app.ts'
import { temporaryDatabase } from './database.ts'
import { testConfig } from './settings.ts'

/** A clock that stands still until a test moves it. */
export interface Clock {
  now: () => number
  /** Moves it on, by seconds. */
  advance(seconds: number): void
}

export function createClock(): Clock {
  let time = Date.parse('2026-01-01T12:00:00.250Z')
  return {
    now: () => time,
    advance: (seconds) => {
      time += seconds * 1000
    },
  }
}

type Env = Record<string, string>
type Logger = FastifyServerOptions['logger']
/** What a test passes to buildApp beside the rest. */
type Extra = Partial<AppOptions>

/**
 * The app as server.ts builds it, on an empty database and a clock of its own; both are gone when the test is over.
 * @param env settings that differ from test/settings.ts, under the names of .env
 */
export const createTestApp = (env: Env = {}, logger: Logger = false, extra: Extra = {}) =>
  build(env, logger, extra, onTestFinished)

/** One app for all tests of a file, where none of them minds what the others left: `const app = await shareTestApp()`. */
export const shareTestApp = (env: Env = {}, logger: Logger = false) => build(env, logger, {}, afterAll)

async function build(
  env: Env,
  logger: Logger,
  extra: Extra,
  onFinished: (clean: () => Promise<void>) => void,
) {
  const database = await temporaryDatabase()
  const opened: { close(): Promise<unknown> }[] = []
  // Before anything can fail: an app that does not start leaves nothing on the server either.
  onFinished(async () => {
    for (const resource of opened.reverse()) await resource.close()
    await database.remove()
  })
  const config = testConfig({ DATABASE_URL: database.url, ...env })
  const db = await database.open(config.database)
  opened.push(db)
  const clock = createClock()
  const app = await buildApp({ config, db, now: clock.now, logger, ...extra })
  opened.push(app)
  return Object.assign(app, { clock })
}

export type TestApp = Awaited<ReturnType<typeof createTestApp>>
