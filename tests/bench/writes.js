// npm run bench:writes [-- --database postgres --project <name>=<project> … --rounds 5 --connections 16]: measures what
// changes data in a service of mode complete, profile B, as ratios to a bare Fastify. Hashes take 20 ms and no core.
// On Linux with two cores, `taskset -c 1` before it leaves the first core to the services.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCluster, findPostgres } from '../support/cluster.js'
import { countRoundTrips, countSyncs } from './counts.js'
import { median } from './figures.js'
import { post } from './post.js'
import { CORE, fetchAutocannon, HELLO, start } from './service.js'

const { values: options } = parseArgs({
  options: {
    database: { type: 'string', default: 'sqlite' },
    project: { type: 'string', multiple: true },
    rounds: { type: 'string', default: '5' },
    connections: { type: 'string', default: '16' },
  },
})
const CONNECTIONS = Number(options.connections)
const MS = 2_000
const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')

/** @typedef {{ pid: number, cpuMs: number, transactionMs: number }} Usage */

/** High enough for the load, because without limits an attempt would not be counted. */
const LIMITS = Object.fromEntries(
  [
    'AUTH_REQUESTS',
    'LOGIN_FAILURES',
    'LOGIN_FAILURES_PER_ADDRESS',
    'LOGIN_FAILURES_PER_ACCOUNT',
    'LOGINS',
    'REGISTER',
  ]
    .concat('MAIL_REQUESTS', 'MAILS')
    .map((name) => [`RATE_LIMIT_${name}`, '1000000']),
)

// A normal exit also stops the database server.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/**
 * The service with hashes that only wait. Sums up how long transactions take, and answers at a port of its own with
 * what the process has used.
 */
const SERVICE = `
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
const argon2 = createRequire(import.meta.url)('@node-rs/argon2')
// As strong as the service asks for: a login would replace a weaker one.
const hash = await argon2.hash('Correct-Horse-7', { memoryCost: 65_536, timeCost: 3 })
const wait = () => new Promise((resolve) => setTimeout(resolve, 20))
argon2.hash = () => wait().then(() => hash)
argon2.verify = () => wait().then(() => true)
const { buildApp } = await import('./dist/app.js')
const { openDatabase } = await import('./dist/db/database.js')
const { migrate } = await import('./dist/db/migrate.js')
const { readConfig } = await import('./dist/config.js')
const config = readConfig()
const db = openDatabase(config.database)
await migrate(config.database)
let transactionMs = 0
const timed = {
  ...db,
  async transaction(...args) {
    const startedAt = performance.now()
    return db.transaction(...args).finally(() => { transactionMs += performance.now() - startedAt })
  },
}
const app = await buildApp({ config, db: timed, now: Date.now, mailer: { send: async () => {} } })
createServer((_, response) => {
  const { user, system } = process.cpuUsage()
  response.end(JSON.stringify({ pid: process.pid, cpuMs: (user + system) / 1000, transactionMs }))
}).listen(Number(process.env.PORT) + 1, '127.0.0.1')
await app.listen({ host: '127.0.0.1', port: Number(process.env.PORT) })
`

/** @param {number} clients @param {(client: number) => Promise<unknown>} once @param {number} [ms] */
async function answersOf(clients, once, ms = MS) {
  const startedAt = performance.now()
  /** @type {number[]} */
  const latencies = []
  const work = async (/** @type {number} */ client) => {
    while (performance.now() - startedAt < ms) {
      const sentAt = performance.now()
      await once(client)
      latencies.push(performance.now() - sentAt)
    }
  }
  await Promise.all(Array.from({ length: clients }, (_, client) => work(client)))
  return { count: latencies.length, seconds: (performance.now() - startedAt) / 1000, latencies }
}

/** @param {string} url */
async function workloads(url) {
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS })
  const prefix = `u${Date.now().toString(36)}`
  let number = 0
  /** @param {string} path @param {object} body @param {number[]} [statuses] */
  const auth = (path, body, statuses) => post(`${url}/api/v1/auth/${path}`, body, { agent, statuses })
  const register = () => {
    number += 1
    const username = `${prefix}-${number}`
    return auth('register', { username, email: `${username}@example.com`, password: 'Correct-Horse-7' })
  }
  /** @param {number} client */
  const name = (client) => `${prefix}-${client + 1}`
  /** @type {any[]} */
  const sessions = []
  // Each client has a user who refreshes and one who logs in: the logins would end the session of the refreshes.
  for (let client = 0; client < 2 * CONNECTIONS; client += 1) await register()
  for (let client = 0; client < CONNECTIONS; client += 1) {
    sessions.push(await auth('login', { username: name(client), password: 'Correct-Horse-7' }))
  }
  /** @type {Record<string, (client: number) => Promise<unknown>>} */
  const flows = {
    refresh: async (client) => {
      sessions[client] = await auth('refresh', { refresh_token: sessions[client].refresh_token })
    },
    login: (client) => auth('login', { username: name(CONNECTIONS + client), password: 'Correct-Horse-7' }),
    register,
    forgot: () => {
      number += 1
      return auth('forgot-password', { email: `${prefix}-${number}@example.com` })
    },
  }
  return flows
}

const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-bench-'))
const isPostgres = options.database === 'postgres'
const programs = isPostgres ? findPostgres() : undefined
if (isPostgres && !programs) throw new Error('PostgreSQL is missing: initdb not found. Install PostgreSQL.')

/** @returns {string[]} name=folder */
function build() {
  if (options.project) return options.project
  const folder = join(scratch, 'service')
  const answers = ['--mode', 'complete', '--profile', 'B', '--database', options.database, '--no-git']
  execFileSync(process.execPath, [bin, folder, ...answers], { stdio: 'inherit' })
  execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit' })
  return [`service=${folder}`]
}

const load = fetchAutocannon(scratch)
const projects = build().map((text) => text.split('='))
/** @type {(() => void)[]} */
const ends = []
try {
  const [, firstFolder = ''] = projects[0] ?? []
  writeFileSync(join(firstFolder, 'hello.js'), HELLO)
  const hello = await start(firstFolder, 'hello.js', {}, CORE)
  ends.push(() => hello.child.kill())
  const services = []
  for (const [name = '', folder = ''] of projects) {
    writeFileSync(join(folder, 'bench-service.js'), SERVICE)
    const settings = /** @type {Record<string, string>} */ ({ ...LIMITS, HASH_CONCURRENCY: '4' })
    let proxy
    if (programs) {
      const cluster = await createCluster(programs)
      proxy = await countRoundTrips(cluster.url)
      ends.push(proxy.close, cluster.remove)
      settings.DATABASE_URL = cluster.url
    } else settings.DATABASE_URL = `file:${join(scratch, `${name}.db`)}`
    const { child, url } = await start(folder, 'bench-service.js', settings, CORE)
    ends.unshift(() => child.kill())
    const counted =
      proxy && (await start(folder, 'bench-service.js', { ...settings, DATABASE_URL: proxy.url }, CORE))
    if (counted) ends.unshift(() => counted.child.kill())
    const usage = async () => {
      const at = new URL(url)
      at.port = String(Number(at.port) + 1)
      return /** @type {Promise<Usage>} */ ((await fetch(at)).json())
    }
    services.push({
      name,
      usage,
      flows: await workloads(url),
      counted: counted && (await workloads(counted.url)),
      proxy,
    })
  }

  /** @type {Record<string, number[]>} */
  const figures = {}
  const note = (/** @type {string} */ what, /** @type {number} */ value) => {
    figures[what] = [...(figures[what] ?? []), value]
  }
  const flowNames = Object.keys(services[0]?.flows ?? {})
  // First: the rounds leave emails that are sent for a long time.
  for (const flow of flowNames)
    for (const { name, usage, flows, counted, proxy } of services) {
      if (counted && proxy) {
        const before = proxy.counts.trips
        const { count } = await answersOf(CONNECTIONS, counted[flow] ?? Promise.reject, 1_000)
        note(`${flow}: round trips per answer, ${name}`, (proxy.counts.trips - before) / count)
      } else {
        let count = 0
        const syncs = await countSyncs((await usage()).pid, async () => {
          count = (await answersOf(CONNECTIONS, flows[flow] ?? Promise.reject, 1_000)).count
        })
        if (syncs !== undefined) note(`${flow}: syncs per answer, ${name}`, syncs / count)
      }
    }
  for (let round = 0; round < Number(options.rounds); round += 1) {
    const bare = await load({
      url: `${hello.url}/health/ready`,
      connections: CONNECTIONS,
      duration: MS / 1000,
    })
    note('bare Fastify: answers/s', bare.requests.average)
    for (const flow of flowNames)
      for (const { name, usage, flows } of services) {
        const before = await usage()
        const { count, seconds, latencies } = await answersOf(CONNECTIONS, flows[flow] ?? Promise.reject)
        const after = await usage()
        note(`${flow}: ratio to bare, ${name}`, count / seconds / bare.requests.average)
        note(`${flow}: answers/s, ${name}`, count / seconds)
        note(`${flow}: median ms, ${name}`, median(latencies))
        note(
          `${flow}: ms in transactions per answer, ${name}`,
          (after.transactionMs - before.transactionMs) / count,
        )
        note(`${flow}: ms of CPU per answer, ${name}`, (after.cpuMs - before.cpuMs) / count)
      }
  }
  console.log(
    `medians of ${options.rounds}, ${CONNECTIONS} connections, load average ${loadavg().map((value) => value.toFixed(1))}`,
  )
  for (const what of Object.keys(figures).sort()) {
    const values = figures[what] ?? []
    const all = values.map((value) => value.toFixed(value < 10 ? 3 : 0)).join(', ')
    console.log(`${what.padEnd(52)} ${median(values).toFixed(3)}${values.length > 1 ? ` (${all})` : ''}`)
  }
} finally {
  for (const end of ends) end()
  rmSync(scratch, { recursive: true, force: true })
}
process.exit()
