import { execFileSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** The last minor version that was tried with Node 20. It is fetched to measure, never a dependency. */
const BETTER_AUTH = 'better-auth@~1.7.25'

/**
 * better-auth as its pages "Installation", "SQLite" and "Fastify" set it up. Sessions are read from the database at each
 * request, as in the services here. One setting differs from its defaults: `rateLimit`, because its limit of 100
 * requests per address would answer 429. Without it, its requests cost less.
 */
const PEER = `
import { betterAuth } from 'better-auth'
import { getMigrations } from 'better-auth/db/migration'
import { fromNodeHeaders } from 'better-auth/node'
import Database from 'better-sqlite3'
import Fastify from 'fastify'

const auth = betterAuth({
  baseURL: 'http://127.0.0.1:' + process.env.PORT,
  database: new Database('database.sqlite'),
  emailAndPassword: { enabled: true },
  rateLimit: { enabled: false },
})
await (await getMigrations(auth.options)).runMigrations()
const app = Fastify({ logger: true })
app.route({
  method: ['GET', 'POST'],
  url: '/api/auth/*',
  async handler(request, reply) {
    const answer = await auth.handler(
      new Request(new URL(request.url, 'http://' + request.headers.host), {
        method: request.method,
        headers: fromNodeHeaders(request.headers),
        body: request.body ? JSON.stringify(request.body) : undefined,
      }),
    )
    reply.status(answer.status)
    answer.headers.forEach((value, key) => reply.header(key, value))
    return reply.send(answer.body ? await answer.text() : null)
  },
})
app.get('/health/ready', async () => ({}))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
`

/**
 * Installs better-auth below a service, so that it runs on the same Fastify and the same better-sqlite3.
 * @param {string} project
 */
export function installBetterAuth(project) {
  const folder = join(project, 'peer')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', BETTER_AUTH], { cwd: folder, stdio: 'inherit' })
  writeFileSync(join(folder, 'server.js'), PEER)
  const { version } = JSON.parse(readFileSync(join(folder, 'node_modules/better-auth/package.json'), 'utf8'))
  return { folder, version, settings: { BETTER_AUTH_SECRET: randomBytes(32).toString('hex') } }
}

/**
 * The request for the current session of a new user.
 * @param {string} url
 * @param {string} name
 * @param {string} email
 */
export async function currentSession(url, name, email) {
  const answer = await fetch(`${url}/api/auth/sign-up/email`, {
    method: 'POST',
    // fetch() calls itself a browser, which better-auth asks for an origin.
    headers: { 'content-type': 'application/json', origin: url },
    body: JSON.stringify({ name, email, password: 'Correct-Horse-7' }),
  })
  if (!answer.ok) throw new Error(`better-auth: ${answer.status} ${await answer.text()}`)
  const cookie = answer.headers
    .getSetCookie()
    .map((line) => line.split(';', 1)[0])
    .join('; ')
  return { url: `${url}/api/auth/get-session`, headers: { cookie } }
}
