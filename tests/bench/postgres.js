// npm run bench:postgres [-- --project <project> --rounds 9 --users 1000000]: measures a service of mode complete,
// profile B, on PostgreSQL with a thousand and with a million users, as ratios to a bare Fastify in the same run.
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
  },
})
const ROUNDS = Number(options.rounds)
const CONNECTIONS = 64
const MS = 2_000
const PASSWORD = 'Correct-Horse-7'
const SESSIONS = 64

// A normal exit also stops the database servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')
const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-bench-'))

const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })

/**
 * Responses per second to one repeated request.
 * @param {string} url
 * @param {string} [token]
 */
async function repeated(url, token) {
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` }
  const result = await load({ url, headers, connections: CONNECTIONS, duration: MS / 1_000 })
  if (result.errors || result.non2xx)
    throw new Error(`${url}: ${result.errors} errors, ${result.non2xx} not 2xx`)
  return result.requests.average
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
 * @param {string} url of a service
 * @param {string} name a unique prefix of the user names
 */
async function workloads(url, name) {
  const auth = (/** @type {string} */ path, /** @type {object} */ body) =>
    post(`${url}/api/v1/auth/${path}`, body, { agent })
  let registered = 0
  const register = () => {
    registered += 1
    const username = `${name}-${registered}`
    return auth('register', { username, email: `${username}@example.com`, password: PASSWORD })
  }
  /** @type {any[]} */
  const sessions = []
  for (let client = 0; client < SESSIONS; client += 1) {
    const { username } = await register()
    sessions.push(await auth('login', { username, password: PASSWORD }))
  }
  return {
    me: () => repeated(`${url}/api/v1/users/me`, sessions[0].access_token),
    refresh: async (/** @type {number} */ client) => {
      sessions[client] = await auth('refresh', { refresh_token: sessions[client].refresh_token })
    },
    register,
  }
}

/** The cheapest hash that the profile allows, and the default hash. */
const hashes = { floor: { ARGON2_MEMORY_KIB: '19456', ARGON2_TIME_COST: '2' }, default: {} }

function build() {
  if (options.project !== undefined) return options.project
  const folder = join(scratch, 'service')
  const answers = ['--mode', 'complete', '--profile', 'B', '--database', 'postgres', '--no-git']
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
try {
  const run = async (/** @type {string} */ script, /** @type {Record<string, string>} */ settings = {}) => {
    const { child, url } = await start(project, script, { RATE_LIMIT_ENABLED: 'false', ...settings })
    children.push(child)
    return url
  }
  writeFileSync(join(project, 'hello.js'), HELLO)
  const bare = await run('hello.js')
  /** @type {[string, string, Awaited<ReturnType<typeof workloads>>][]} */
  const services = []
  for (const [size, cluster, users] of /** @type {const} */ ([
    ['small', small, 1_000],
    ['large', large, Number(options.users)],
  ])) {
    // The service creates the tables that are filled.
    const service = await run('dist/server.js', { DATABASE_URL: cluster.url, ...hashes.floor })
    await fill(project, cluster.url, 'B', { users, sessionsPerUser: 3 })
    services.push([size, 'floor', await workloads(service, `${size}-floor`)])
    const dear = await run('dist/server.js', { DATABASE_URL: cluster.url, ...hashes.default })
    services.push([size, 'default', await workloads(dear, `${size}-default`)])
    console.log(`${size}: filled, load average ${loadavg()[0]?.toFixed(1)}`)
  }

  /** @type {Record<string, number[]>} */
  const figures = {}
  const note = (/** @type {string} */ what, /** @type {number} */ value) => {
    figures[what] = [...(figures[what] ?? []), value]
  }
  for (let round = 0; round < ROUNDS; round += 1) {
    const hello = await repeated(`${bare}/health/ready`)
    note('bare Fastify/s', hello)
    for (const [size, hash, { me, refresh, register }] of services) {
      if (hash === 'floor') {
        note(`GET /users/me, ${size}, ratio to bare`, (await me()) / hello)
        note(`refresh, ${size}, ratio to bare`, (await perSecond(CONNECTIONS, refresh)) / hello)
      }
      note(`register/s, ${size}, hash ${hash}`, await perSecond(8, register))
    }
  }
  console.log(`medians of ${ROUNDS}, load average ${loadavg().map((load) => load.toFixed(1))}`)
  for (const [what, values] of Object.entries(figures)) {
    const all = values.map((value) => value.toFixed(value < 10 ? 3 : 0)).join(', ')
    console.log(`${what.padEnd(40)} ${median(values).toFixed(3)} (${all})`)
    const other = figures[what.replace('small', 'large')]
    if (what.includes('small') && other) {
      const ratios = other.map((value, round) => value / (values[round] ?? Number.NaN))
      console.log(`${''.padEnd(40)} large to small ${median(ratios).toFixed(2)} (goal: 0.8 to 1.2)`)
    }
  }
} finally {
  for (const child of children) child.kill()
  small.remove()
  large.remove()
  agent.destroy()
  rmSync(scratch, { recursive: true, force: true })
}
