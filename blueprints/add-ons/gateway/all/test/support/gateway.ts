import type { TestApp } from './app.ts'
import { runCommand } from './commands.ts'

/** Runs `npm run user -- introspection-client NAME`. @returns the secret and the setting */
export async function introspectionClient(app: TestApp, name = 'orders') {
  const output = await runCommand(app, 'introspection-client', name)
  const secret = /^[\w-]{43}$/m.exec(output)?.[0] ?? ''
  const setting = /^INTROSPECTION_CLIENTS=(.+)$/m.exec(output)?.[1] ?? ''
  return { secret, setting }
}

/** The header of Basic credentials. */
export const basic = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** POST /auth/introspect with a form. */
export const introspect = (app: TestApp, fields: Record<string, string>, headers: object) =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/introspect',
    headers: { ...form, ...headers },
    payload: new URLSearchParams(fields).toString(),
  })

/** GET /auth/check. */
export const check = (app: TestApp, headers = {}, method: 'GET' | 'HEAD' = 'GET') =>
  app.inject({ method, url: '/api/v1/auth/check', headers })
