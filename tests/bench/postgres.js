// npm run bench:postgres [-- --project <project> --rounds 9 --users 1000000 --sessions 3]: measures a service of mode
// complete, profile B, on PostgreSQL as ratios to a bare Fastify in the same run: with a thousand and with --users users,
// each with --sessions sessions, and with 1, 2 and 4 instances that share the larger database, and Redis if
// TEST_REDIS_URL is set.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCluster, findPostgres } from '../support/cluster.js'
import { median } from './figures.js'
import { fill } from './fill.js'
import { post } from './post.js'
import { fetchAutocannon, HELLO, start } from './service.js'

const { values: options } = parseArgs({
  options: {
    project: { type: 'string' },
    rounds: { type: 'string', default: '9' },
    users: { type: 'string', default: '1000000' },
    sessions: { type: 'string', default: '3' },
  },
})
const ROUNDS = Number(options.rounds)
const CONNECTIONS = 64
const MS = 2_000
const PASSWORD = 'Correct-Horse-7'
const SESSIONS = 64
/** They log in as users of their own: many logins would end the sessions that the others use. */
const LOGIN_CLIENTS = 8

// A normal exit also stops the database servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')
const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-bench-'))

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

/**
 * Responses per second of all services together to a GET that each connection repeats.
 * @param {string[]} urls of one path of several services
 * @param {string[]} [tokens] each connection uses them in turn
 */
async function repeated(urls, tokens) {
  const requests = tokens?.map((token) => ({ headers: { authorization: `Bearer ${token}` } }))
  const connections = CONNECTIONS / urls.length
  const results = urls.map((url) => load({ url, requests, connections, duration: MS / 1_000 }))
  let perSecond = 0
  for (const { errors, non2xx, requests } of await Promise.all(results)) {
    if (errors || non2xx) throw new Error(`${urls}: ${errors} errors, ${non2xx} not 2xx`)
    perSecond += requests.average
  }
  return perSecond
}

/**
 * Responses per second to clients that send one request after another.
 * @param {number} clients
 * @param {(client: number) => Promise<unknown>} once
 */
async function perSecond(clients, once) {
  const startedAt = performance.now()
  let answers = 0
  const work = async (/** @type {number} */ client) => {
    while (performance.now() - startedAt < MS) {
      await once(client)
      answers += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  return answers / ((performance.now() - startedAt) / 1000)
}

/**
 * @param {string[]} urls of the instances of a service
 * @param {string} name a unique prefix of the user names
 */
async function workloads(urls, name) {
  const auth = (/** @type {string} */ path, /** @type {object} */ body, /** @type {number} */ client) =>
    post(`${urls[client % urls.length]}/api/v1/auth/${path}`, body, { agent })
  let registered = 0
  const register = (/** @type {number} */ client) => {
    registered += 1
    const username = `${name}-${registered}`
    return auth('register', { username, email: `${username}@example.com`, password: PASSWORD }, client)
  }
  /** @type {any[]} */
  const sessions = []
  /** @type {{ username: string, email: string }[]} */
  const users = []
  for (let client = 0; client < SESSIONS + LOGIN_CLIENTS; client += 1) users.push(await register(client))
  for (let client = 0; client < SESSIONS; client += 1)
    sessions.push(await auth('login', { username: users[client]?.username, password: PASSWORD }, client))
  const paths = (/** @type {string} */ path) => urls.map((url) => `${url}${path}`)
  const tokens = () => sessions.map(({ access_token: token }) => token)
  return {
    me: () => repeated(paths('/api/v1/users/me'), tokens()),
    devices: () => repeated(paths('/api/v1/auth/devices'), tokens()),
    refresh: async (/** @type {number} */ client) => {
      sessions[client] = await auth('refresh', { refresh_token: sessions[client].refresh_token }, client)
    },
    login: (/** @type {number} */ client) =>
      auth('login', { username: users[SESSIONS + client]?.username, password: PASSWORD }, client),
    forgot: (/** @type {number} */ client) =>
      auth('forgot-password', { email: users[client]?.email }, client),
    register,
  }
}

/** Counts attempts in Redis, but refuses none. */
const LIMITS = {
  RATE_LIMIT_ENABLED: 'true',
  RATE_LIMIT_AUTH_REQUESTS: '1000000',
  RATE_LIMIT_LOGINS: '1000000',
  RATE_LIMIT_REGISTER: '1000000',
}

/** The cheapest hash that the profile allows, and the default hash. */
const hashes = { floor: { ARGON2_MEMORY_KIB: '19456', ARGON2_TIME_COST: '2' }, default: {} }

function build() {
  if (options.project !== undefined) return options.project
  const folder = join(scratch, 'service')
  const answers = [
    '--mode',
    'complete',
    '--profile',
    'B',
    '--database',
    'postgres',
    '--no-git',
    '--add',
    'redis',
  ]
  execFileSync(process.execPath, [bin, folder, ...answers], { stdio: 'inherit' })
  execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit' })
  return folder
}

const programs = findPostgres()
if (!programs) throw new Error('PostgreSQL is missing: initdb not found. Install PostgreSQL.')
const project = build()
const load = fetchAutocannon(scratch)
const small = await createCluster(programs, { fsync: 'off' })
const large = await createCluster(programs, { fsync: 'off' })
/** @type {import('node:child_process').ChildProcess[]} */
const children = []

/** @type {Record<string, number[]>} */
const figures = {}
const note = (/** @type {string} */ what, /** @type {number} */ value) => {
  figures[what] = [...(figures[what] ?? []), value]
}

const run = async (/** @type {string} */ script, /** @type {Record<string, string>} */ settings = {}) => {
  const { child, url } = await start(project, script, { RATE_LIMIT_ENABLED: 'false', ...settings })
  children.push(child)
  return url
}

/** @param {string} bare the URL of a bare Fastify */
async function measureGrowth(bare) {
  /** @type {[string, string, Awaited<ReturnType<typeof workloads>>][]} */
  const services = []
  for (const [size, cluster, users] of /** @type {const} */ ([
    ['small', small, 1_000],
    ['large', large, Number(options.users)],
  ])) {
    // The service creates the tables that are filled.
    const service = await run('dist/server.js', { DATABASE_URL: cluster.url, ...hashes.floor })
    await fill(project, cluster.url, 'B', { users, sessionsPerUser: Number(options.sessions) })
    services.push([size, 'floor', await workloads([service], `${size}-floor`)])
    const dear = await run('dist/server.js', { DATABASE_URL: cluster.url, ...hashes.default })
    services.push([size, 'default', await workloads([dear], `${size}-default`)])
    console.log(`${size}: filled, load average ${loadavg()[0]?.toFixed(1)}`)
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const hello = await repeated([`${bare}/health/ready`])
    note('bare Fastify/s', hello)
    for (const [size, hash, { me, devices, refresh, login, forgot, register }] of services) {
      if (hash === 'floor') {
        note(`GET /users/me, ${size}, ratio to bare`, (await me()) / hello)
        note(`GET /auth/devices, ${size}, ratio to bare`, (await devices()) / hello)
        note(`refresh, ${size}, ratio to bare`, (await perSecond(CONNECTIONS, refresh)) / hello)
        note(`forgot-password, ${size}, ratio to bare`, (await perSecond(CONNECTIONS, forgot)) / hello)
        note(`login/s, ${size}, hash ${hash}`, await perSecond(LOGIN_CLIENTS, login))
      }
      note(`register/s, ${size}, hash ${hash}`, await perSecond(8, register))
    }
  }
}

/** @param {string} bare the URL of a bare Fastify */
async function measureInstances(bare) {
  const { TEST_REDIS_URL: redis } = process.env
  /** @type {[number, Awaited<ReturnType<typeof workloads>>][]} */
  const fleets = []
  for (const count of [1, 2, 4]) {
    const settings = {
      DATABASE_URL: large.url,
      ...hashes.floor,
      ...(redis && { REDIS_URL: redis, ...LIMITS }),
    }
    const urls = []
    for (let instance = 0; instance < count; instance += 1) urls.push(await run('dist/server.js', settings))
    fleets.push([count, await workloads(urls, `fleet-${count}`)])
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const hello = await repeated([`${bare}/health/ready`])
    for (const [count, { me, refresh, login }] of fleets) {
      note(`GET /users/me, instances: ${count}, ratio to bare`, (await me()) / hello)
      note(`refresh, instances: ${count}, ratio to bare`, (await perSecond(CONNECTIONS, refresh)) / hello)
      note(`login/s, instances: ${count}, hash floor`, await perSecond(LOGIN_CLIENTS, login))
    }
  }
}

function stop() {
  for (const child of children.splice(0)) child.kill()
}

try {
  writeFileSync(join(project, 'hello.js'), HELLO)
  await measureGrowth(await run('hello.js'))
  stop()
  await measureInstances(await run('hello.js'))
  console.log(`medians of ${ROUNDS}, load average ${loadavg().map((load) => load.toFixed(1))}`)
  for (const [what, values] of Object.entries(figures)) {
    const all = values.map((value) => value.toFixed(value < 10 ? 3 : 0)).join(', ')
    console.log(`${what.padEnd(48)} ${median(values).toFixed(3)} (${all})`)
    const other = figures[what.replace('small', 'large')]
    if (what.includes('small') && other) {
      const ratios = other.map((value, round) => value / (values[round] ?? Number.NaN))
      console.log(`${''.padEnd(48)} large to small ${median(ratios).toFixed(2)} (goal: 0.8 to 1.2)`)
    }
  }
} finally {
  stop()
  small.remove()
  large.remove()
  agent.destroy()
  rmSync(scratch, { recursive: true, force: true })
}
