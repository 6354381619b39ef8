import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { median } from './command.js'

const CONNECTIONS = 64
const SECONDS = 6
const ROUNDS = 3
const LOGINS_IN_FLIGHT = 16
const PASSWORD = 'Correct-Horse-7'
const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')

const HELLO = `
import Fastify from 'fastify'
const app = Fastify()
app.get('/', async () => ({ hello: 'world' }))
console.log('Server listening at ' + await app.listen({ host: '127.0.0.1', port: 0 }))
`

/**
 * Loads a basic B service and, beside it, a bare Fastify from the same node_modules. Only 127.0.0.1 is used.
 * @param {string} scratch an existing folder
 * @returns {Promise<import('./command.js').Figure[]>}
 */
export async function measureService(scratch) {
  const load = fetchAutocannon(scratch)
  const project = join(scratch, 'service')
  execFileSync(process.execPath, [bin, project, '--mode', 'basic', '--profile', 'B', '--no-git'], {
    stdio: 'inherit',
  })
  execFileSync('npm', ['run', 'build'], { cwd: project, stdio: 'inherit' })
  writeFileSync(join(project, 'hello.js'), HELLO)

  const service = await start(project, 'dist/server.js')
  const hello = await start(project, 'hello.js')
  try {
    const users = await Promise.all(
      Array.from({ length: LOGINS_IN_FLIGHT }, (_, n) => registered(service.url, `user${n}`)),
    )
    const { access_token: token } = await logIn(service.url, 'user0')
    const me = { url: `${service.url}/api/v1/users/me`, headers: { authorization: `Bearer ${token}` } }

    /** @param {object} target */
    const run = async (target) => {
      const result = await load({ connections: CONNECTIONS, duration: SECONDS, ...target })
      if (result.errors || result.non2xx) throw new Error(`${result.errors} errors, ${result.non2xx} not 2xx`)
      return result
    }
    await run({ url: hello.url, duration: 2 })
    await run({ ...me, duration: 2 })
    const ratios = []
    let perSecond = 0
    for (let round = 0; round < ROUNDS; round += 1) {
      const bare = (await run({ url: hello.url })).requests.average
      perSecond = (await run(me)).requests.average
      ratios.push(perSecond / bare)
    }

    const alone = await run({ ...me, connections: 10, overallRate: 200 })
    const stopLogins = keepLoggingIn(service.url, users)
    const paced = await run({ ...me, connections: 10, overallRate: 200 })
    const saturated = await run(me)
    const logins = await stopLogins()

    return [
      {
        what: `GET /users/me at ${CONNECTIONS} connections, ratio to a bare Fastify, median of ${ROUNDS}`,
        value: `${median(ratios).toFixed(2)} (${perSecond.toFixed(0)}/s)`,
        goal: 'at least 0.35',
      },
      { what: 'its p99 at 200/s, nothing else to do', value: `${alone.latency.p99} ms` },
      {
        what: `its p99 at 200/s with ${LOGINS_IN_FLIGHT} logins in flight`,
        value: `${paced.latency.p99} ms`,
        goal: 'under 100 ms',
      },
      {
        what: `its p99 at ${CONNECTIONS} connections, as fast as it goes, with ${LOGINS_IN_FLIGHT} logins in flight`,
        value: `${saturated.latency.p99} ms, ${saturated.requests.average.toFixed(0)}/s`,
        goal: 'under 100 ms',
      },
      { what: 'logins beside it', value: `${logins.toFixed(1)}/s` },
    ]
  } finally {
    service.child.kill()
    hello.child.kill()
  }
}

/**
 * The load generator is no dependency: who only runs the tests does not install it.
 * @param {string} scratch
 * @returns {(options: object) => Promise<any>}
 */
function fetchAutocannon(scratch) {
  const folder = join(scratch, 'autocannon')
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), '{}')
  execFileSync('npm', ['install', '--no-audit', '--no-fund', 'autocannon@^8.0.0'], {
    cwd: folder,
    stdio: 'inherit',
  })
  return createRequire(join(folder, 'package.json'))('autocannon')
}

/**
 * @param {string} cwd
 * @param {string} script
 */
async function start(cwd, script) {
  const env = { ...process.env, PORT: '0', NODE_ENV: 'production' }
  const child = spawn(process.execPath, [script], { cwd, env, stdio: ['ignore', 'pipe', 'inherit'] })
  /** @type {string} */
  const url = await new Promise((resolve, reject) => {
    let said = ''
    // Read to the end: a full pipe would slow the service down.
    child.stdout.on('data', (part) => {
      if (said.length < 10_000) said += part
      const found = /http:\/\/127\.0\.0\.1:\d+/.exec(said)
      if (found) resolve(found[0])
    })
    child.once('exit', (code) => reject(new Error(`${script} ended with ${code}`)))
  })
  return { child, url }
}

/**
 * @param {string} url
 * @param {object} body
 */
async function post(url, body) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return /** @type {any} */ (await response.json())
}

/**
 * @param {string} url
 * @param {string} username
 */
async function registered(url, username) {
  await post(`${url}/api/v1/auth/register`, {
    username,
    email: `${username}@example.com`,
    password: PASSWORD,
  })
  return username
}

/**
 * @param {string} url
 * @param {string} username
 */
function logIn(url, username) {
  return post(`${url}/api/v1/auth/login`, { username, password: PASSWORD })
}

/**
 * Keeps one login of each user in flight until the function that comes back is called; it resolves to logins/s.
 * @param {string} url
 * @param {string[]} users
 */
function keepLoggingIn(url, users) {
  let going = true
  let count = 0
  const startedAt = performance.now()
  const loops = users.map(async (username) => {
    while (going) {
      await logIn(url, username)
      count += 1
    }
  })
  return async () => {
    const perSecond = count / ((performance.now() - startedAt) / 1000)
    going = false
    await Promise.all(loops)
    return perSecond
  }
}
