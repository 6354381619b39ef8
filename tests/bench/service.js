import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/port.js'
import { median } from './command.js'

const CONNECTIONS = 64
const SECONDS = 3
const ROUNDS = 9
const LOGINS_IN_FLIGHT = 16
const PASSWORD = 'Correct-Horse-7'
const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')

export const HELLO = `
import Fastify from 'fastify'
const app = Fastify()
app.get('/health/ready', async () => ({ hello: 'world' }))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
`

/**
 * Creates, installs and builds a service of mode basic, profile B, and measures it under load.
 * @param {string} scratch an existing folder
 */
export async function measureService(scratch) {
  const project = join(scratch, 'service')
  execFileSync(process.execPath, [bin, project, '--mode', 'basic', '--profile', 'B', '--no-git'], {
    stdio: 'inherit',
  })
  execFileSync('npm', ['run', 'build'], { cwd: project, stdio: 'inherit' })
  return measureLoad(scratch, project)
}

/**
 * Measures a built service and a bare Fastify from the same node_modules under load. Uses only 127.0.0.1.
 * @param {string} scratch an existing folder
 * @param {string} project
 * @returns {Promise<import('./command.js').Figure[]>}
 */
async function measureLoad(scratch, project) {
  const load = fetchAutocannon(scratch)
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
    const bareTarget = { url: `${hello.url}/health/ready` }
    await run({ ...bareTarget, duration: 2 })
    await run({ ...me, duration: 2 })
    const rounds = []
    for (let round = 0; round < ROUNDS; round += 1) {
      const bare = (await run(bareTarget)).requests.average
      const own = (await run(me)).requests.average
      rounds.push({ bare, own, ratio: own / bare })
    }

    const alone = await run({ ...me, connections: 10, overallRate: 200 })
    const stopLogins = keepLoggingIn(service.url, users)
    const paced = await run({ ...me, connections: 10, overallRate: 200 })
    const saturated = await run(me)
    const logins = await stopLogins()

    return [
      {
        what: `GET /users/me at ${CONNECTIONS} connections, ratio to a bare Fastify, median of ${ROUNDS}`,
        value: `${median(rounds.map(({ ratio }) => ratio)).toFixed(2)} (${rounds.map(({ own, bare }) => `${own.toFixed(0)}/${bare.toFixed(0)}`).join(', ')})`,
        goal: 'at least 0.35',
      },
      { what: 'its p99 at 200/s without other load', value: `${alone.latency.p99} ms` },
      {
        what: `its p99 at 200/s with ${LOGINS_IN_FLIGHT} logins in flight`,
        value: `${paced.latency.p99} ms`,
        goal: 'under 100 ms',
      },
      {
        what: `its p99 at ${CONNECTIONS} connections, at full speed, with ${LOGINS_IN_FLIGHT} logins in flight`,
        value: `${saturated.latency.p99} ms, ${saturated.requests.average.toFixed(0)}/s`,
        goal: 'under 100 ms',
      },
      { what: 'logins in parallel with it', value: `${logins.toFixed(1)}/s` },
    ]
  } finally {
    service.child.kill()
    hello.child.kill()
  }
}

/**
 * Installs the load generator. It is not a dependency, because the tests do not need it.
 * @param {string} scratch
 * @returns {(options: object) => Promise<any>}
 */
export function fetchAutocannon(scratch) {
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
 * Starts a server and resolves when it is ready. Discards its log, because reading it would slow the load generator.
 * @param {string} cwd
 * @param {string} script
 * @param {Record<string, string>} [settings]
 * @param {number} [core] the only one that it may use, on Linux
 */
export async function start(cwd, script, settings = {}, core) {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), NODE_ENV: 'production', ...settings }
  const command = [...(core === undefined ? [] : ['taskset', '-c', String(core)]), process.execPath, script]
  const [program = '', ...args] = command
  const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  for (;;) {
    if (child.exitCode !== null) throw new Error(`${script} exited with code ${child.exitCode}`)
    const ready = await fetch(`${url}/health/ready`).catch(() => undefined)
    if (ready?.ok) return { child, url }
    await delay(50)
  }
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
 * Keeps one login of each user in flight until the returned function is called, which resolves to logins per second.
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
