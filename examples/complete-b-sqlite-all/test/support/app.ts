import type { FastifyServerOptions } from 'fastify'
import { afterAll, onTestFinished } from 'vitest'
import { type AppOptions, buildApp } from '../../src/app.ts'
import { temporaryDatabase } from './database.ts'
import { testConfig } from './settings.ts'

/** A clock that moves only when a test advances it. */
export interface Clock {
  now: () => number
  /** Moves the clock forward. */
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
/** Further options of buildApp. */
type Extra = Partial<AppOptions>

/**
 * Builds the app like start.ts, with an empty database and a test clock. Closes and deletes them when the test ends.
 * @param env settings that differ from test/support/settings.ts, named as in .env
 */
export const createTestApp = (env: Env = {}, logger: Logger = false, extra: Extra = {}) =>
  build(env, logger, extra, onTestFinished)

/** One app for all tests of a file, if they do not affect each other: `const app = await shareTestApp()`. */
export const shareTestApp = (env: Env = {}, logger: Logger = false, extra: Extra = {}) =>
  build(env, logger, extra, afterAll)

async function build(
  env: Env,
  logger: Logger,
  extra: Extra,
  onFinished: (clean: () => Promise<void>) => void,
) {
  const database = await temporaryDatabase()
  const opened: { close(): Promise<unknown> }[] = []
  // Registered before anything can fail, so that an app that does not start is cleaned up too.
  onFinished(async () => {
    for (const resource of opened.reverse()) await resource.close()
    await database.remove()
  })
  const config = testConfig({ NODE_ENV: 'test', DATABASE_URL: database.url, ...env })
  const db = await database.open(config.database)
  opened.push(db)
  const clock = createClock()
  const app = await buildApp({
    config,
    db,
    now: clock.now,
    emailTime: (ms) => new Date(clock.now() + ms),
    logger,
    ...extra,
  })
  opened.push(app)
  return Object.assign(app, { clock })
}

export type TestApp = Awaited<ReturnType<typeof createTestApp>>
