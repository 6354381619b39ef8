import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { FastifyInstance } from 'fastify'
import type { AppOptions } from '../../src/app.ts'
import { createTestApp } from './app.ts'

/** Builds the app as the script dev does. @param extend called with the app before it has any hook */
export async function createDevelopmentApp(
  extend: (app: FastifyInstance) => void,
  env: Record<string, string> = {},
  level: 'debug' | 'info' = 'info',
  plugins: NonNullable<AppOptions['plugins']> = [],
) {
  const entries: { level: number; msg: string }[] = []
  const onApp = (message: unknown) => extend((message as { fastify: FastifyInstance }).fastify)
  subscribe('fastify.initialization', onApp)
  const stream = { write: (line: string) => void entries.push(JSON.parse(line)) }
  const app = await createTestApp(env, { level, stream }, { plugins }).finally(() =>
    unsubscribe('fastify.initialization', onApp),
  )
  return { app, entries }
}
