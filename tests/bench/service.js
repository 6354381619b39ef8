import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../support/port.js'
import { CONNECTIONS, repeat } from './load.js'

const SECONDS = 3
const LOGINS_IN_FLIGHT = 16
export const PASSWORD = 'Correct-Horse-7'
const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')

/** The core for what is measured; undefined: any. */
export const CORE = coreOfServices()

export const HELLO = `
import Fastify from 'fastify'
const app = Fastify()
app.get('/health/ready', async () => ({ hello: 'world' }))
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
`

/** @typedef {(options: object) => Promise<any>} Load autocannon */

/**
 * Creates, installs and builds a service of mode complete, profile B.
 * @param {string} scratch an existing folder
 * @param {'sqlite' | 'postgres'} database
 * @param {string} [addOns] comma-separated. Default: none
 * @returns {string} its folder
 */
export function createService(scratch, database, addOns = 'none') {
  const project = join(mkdtempSync(join(scratch, 'project-')), 'service')
  const answers = [
    '--mode',
    'complete',
    '--profile',
    'B',
    '--database',
    database,
    '--add',
    addOns,
    '--no-git',
  ]
  execFileSync(process.execPath, [bin, project, ...answers], { stdio: 'inherit' })
  execFileSync('npm', ['run', 'build'], { cwd: project, stdio: 'inherit' })
  // In production, the service creates no folder for a database.
  mkdirSync(join(project, 'data'), { recursive: true })
  return project
}

/**
 * Measures how long a request takes while others hash passwords. Uses only 127.0.0.1.
 * @param {string} project a built service on SQLite
 * @param {Load} load
 * @returns {Promise<import('./command.js').Figure[]>}
 */
export async function measureService(project, load) {
  const service = await start(project, 'dist/server.js', {}, CORE)
  try {
    const users = await Promise.all(
      Array.from({ length: LOGINS_IN_FLIGHT }, () => registered(service.url, newName())),
    )
    const me = await currentUser(service.url, users[0] ?? '')
    await answersTo(load, { ...me, duration: 2 })
    const alone = await answersTo(load, { ...me, connections: 10, overallRate: 200 })
    const stopLogins = keepLoggingIn(service.url, users)
    const paced = await answersTo(load, { ...me, connections: 10, overallRate: 200 })
    const saturated = await answersTo(load, me)
    const logins = await stopLogins()

    return [
      { what: 'GET /users/me: p99 at 200/s without other load', value: `${alone.latency.p99} ms` },
      {
        what: `its p99 at 200/s with ${LOGINS_IN_FLIGHT} logins in flight`,
        value: `${paced.latency.p99} ms`,
        goal: 'under 50 ms',
      },
      {
        what: `its p99 at ${CONNECTIONS} connections, at full speed, with ${LOGINS_IN_FLIGHT} logins in flight`,
        value: `${saturated.latency.p99} ms, ${saturated.requests.average.toFixed(0)}/s`,
        goal: 'under 50 ms',
      },
      { what: 'logins in parallel with it', value: `${logins.toFixed(1)}/s` },
    ]
  } finally {
    service.child.kill()
  }
}

/**
 * Repeats one request. Throws if an answer is not the expected one, so that errors never count as speed.
 * @param {Load} load
 * @param {object} target options of autocannon
 */
async function answersTo(load, target) {
  const result = await load({ connections: CONNECTIONS, duration: SECONDS, ...target })
  const { errors, non2xx, mismatches } = result
  if (errors || non2xx || mismatches)
    throw new Error(`${errors} errors, ${non2xx} not 2xx, ${mismatches} with another body`)
  return result
}

/**
 * The request for the current user of a service, after a login.
 * @param {string} url
 * @param {string} username
 * @returns {Promise<import('./compare.js').Request>}
 */
export async function currentUser(url, username) {
  const { access_token: token } = await logIn(url, username)
  return { url: `${url}/api/v1/users/me`, headers: { authorization: `Bearer ${token}` } }
}

/** With `taskset -c 1` before a command, it leaves the first core to the services. */
function coreOfServices() {
  const { stdout } = spawnSync('taskset', ['-p', String(process.pid)], { encoding: 'utf8' })
  return stdout?.trim().endsWith(': 2') ? 0 : undefined
}

/**
 * Starts the bare Fastify that services are compared with.
 * @param {string} folder with the packages of a service
 * @returns {Promise<import('./compare.js').Running>}
 */
export async function startHello(folder) {
  writeFileSync(join(folder, 'hello.js'), HELLO)
  const { child, url } = await start(folder, 'hello.js', {}, CORE)
  return { children: [child], connect: () => repeat({ url: `${url}/health/ready`, headers: {} }, 'hello') }
}

/**
 * Installs the load generator. It is not a dependency, because the tests do not need it.
 * @param {string} scratch
 * @returns {Load}
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
 * @param {string | string[]} script with arguments of node
 * @param {Record<string, string>} [settings]
 * @param {number | string} [core] which it may use, on Linux: one, or a list such as 0-3
 */
export async function start(cwd, script, settings = {}, core) {
  const port = await freePort()
  const env = { ...process.env, PORT: String(port), NODE_ENV: 'production', ...settings }
  const onCore = core === undefined ? [] : ['taskset', '-c', String(core)]
  const command = [...onCore, process.execPath, ...[script].flat()]
  const [program = '', ...args] = command
  const child = spawnHere(program, args, { cwd, env, stdio: ['ignore', 'ignore', 'inherit'] })
  const url = `http://127.0.0.1:${port}`
  await isReady(child, `${url}/health/ready`)
  return { child, url }
}

/**
 * Starts a program that ends with this one.
 * @param {string} program
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} options
 */
export function spawnHere(program, args, options) {
  const child = spawn(program, args, options)
  const stop = () => child.kill()
  process.once('exit', stop)
  child.once('exit', () => process.off('exit', stop))
  return child
}

let names = 0

/** Of a user who does not exist yet. */
export function newName() {
  names += 1
  return `user${names}`
}

/**
 * Starts a service, to be asked for a user who has just registered.
 * @param {string} project a built one
 * @param {Record<string, string>} [settings]
 * @param {typeof currentUser} [signIn] default: with a bearer token
 */
export async function startWithUser(project, settings, signIn = currentUser) {
  const { child, url } = await start(project, 'dist/server.js', settings, CORE)
  const name = await registered(url, newName())
  const request = await signIn(url, name)
  return { children: [child], request, connect: () => repeat(request, name) }
}

/**
 * Resolves when a server answers.
 * @param {import('node:child_process').ChildProcess} child
 * @param {string} url
 * @param {Record<string, string>} [headers]
 * @throws Error if it ends before
 */
export async function isReady(child, url, headers = {}) {
  for (;;) {
    if (child.exitCode !== null)
      throw new Error(`${child.spawnargs.join(' ')} exited with code ${child.exitCode}`)
    const answer = await fetch(url, { headers }).catch(() => undefined)
    if (answer?.ok) return
    await delay(50)
  }
}

/**
 * @param {string} url
 * @param {object} body
 * @param {Record<string, string>} [headers]
 */
async function send(url, body, headers) {
  const response = await fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  })
  if (!response.ok) throw new Error(`${url}: ${response.status}`)
  return response
}

/** @param {string} url @param {object} body @returns {Promise<any>} */
async function post(url, body) {
  return (await send(url, body)).json()
}

/**
 * @param {string} url
 * @param {string} username
 */
export async function registered(url, username) {
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
 * The request for the current user of a service with the add-on `cookies`, after a login for a cookie.
 * @param {string} url
 * @param {string} username
 */
export async function currentUserByCookie(url, username) {
  const given = { username, password: PASSWORD }
  const { headers } = await send(`${url}/api/v1/auth/login?use_cookies=true`, given, {
    'sec-fetch-site': 'same-origin',
  })
  const cookie = String(headers.get('set-cookie')).replace(/;.*/, '')
  return { url: `${url}/api/v1/users/me`, headers: { cookie } }
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
