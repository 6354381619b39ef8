import { runClientCommand } from '../../src/commands/client-commands.ts'
import { bearer } from './accounts.ts'
import type { TestApp } from './app.ts'

/** Runs `npm run clients -- …` on the app's database. */
export const clients = (app: Pick<TestApp, 'ctx'>, ...line: string[]) => runClientCommand(app.ctx, line)

const lastLine = (output: string) => output.split('\n').at(-1) ?? ''

/** Creates a client. @returns its secret */
export const createClient = async (app: TestApp, name = 'orders', scope = 'orders:read orders:write') =>
  lastLine(await clients(app, 'create', name, '--scope', scope))

/** Replaces the secret of a client. @returns the new one */
export const rotate = async (app: TestApp, name = 'orders', ...options: string[]) =>
  lastLine(await clients(app, 'rotate', name, ...options))

/** The header of Basic credentials. */
export const basic = (name: string, secret: string) => ({
  authorization: `Basic ${Buffer.from(`${name}:${secret}`).toString('base64')}`,
})

const form = { 'content-type': 'application/x-www-form-urlencoded' }

/** POST /auth/token with a form. */
export const postForm = (app: TestApp, payload: string, headers = {}, remoteAddress = '192.0.2.1') =>
  app.inject({
    method: 'POST',
    url: '/api/v1/auth/token',
    headers: { ...form, ...headers },
    payload,
    remoteAddress,
  })

/** Asks for an access token. */
export const askForToken = (app: TestApp, secret: string, name = 'orders', remoteAddress = '192.0.2.1') =>
  postForm(app, 'grant_type=client_credentials', basic(name, secret), remoteAddress)

/** Gets an access token. */
export async function clientToken(app: TestApp, secret: string, name?: string): Promise<string> {
  const response = await askForToken(app, secret, name)
  if (response.statusCode !== 200) throw new Error(`token answered ${response.statusCode}: ${response.body}`)
  return response.json<{ access_token: string }>().access_token
}

/** Adds GET /orders, which requires the scope orders:read. */
export function addOrders(app: TestApp) {
  app.get('/orders', { onRequest: app.requireClient('orders:read') }, async (request) => ({
    for: request.serviceClient.name,
  }))
  return (token?: string) => app.inject({ url: '/orders', headers: token === undefined ? {} : bearer(token) })
}
