// npm run bench:import [-- --users 1000000 --database sqlite|postgres --project <name>=<project> …]: imports users while
// the service answers a request each 100 ms. The goal is a million users in under five minutes. Not part of the tests.
import { spawn } from 'node:child_process'
import { createWriteStream, mkdtempSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { createCluster, findPostgres } from '../support/cluster.js'
import { createService, start } from './service.js'

const { values: options } = parseArgs({
  options: {
    users: { type: 'string', default: '1000000' },
    database: { type: 'string', multiple: true, default: ['sqlite', 'postgres'] },
    project: { type: 'string', multiple: true, default: [] },
  },
})
const users = Number(options.users)
const projects = Object.fromEntries(options.project.map((text) => text.split('=')))
const settings = {
  JWT_SECRET_KEY: 'a-secret-that-only-the-tests-of-this-service-use',
  RATE_LIMIT_ENABLED: 'false',
  LOG_LEVEL: 'silent',
  // The service has to answer meanwhile, not to hash.
  ARGON2_MEMORY_KIB: '19456',
  ARGON2_TIME_COST: '2',
}

/** Lets the command print its seconds of CPU: on a busy machine, they say more than its time. */
const REPORT =
  '--import=data:text/javascript,process.on("exit",()=>{const{user,system}=process.cpuUsage();console.log("CPU",Math.round((user+system)/1e6))})'

// A normal exit also stops the database server.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

/** @param {any} database the command refuses others than sqlite and postgres */
const build = (database) => projects[database] ?? createService(scratch, database, 'import')

/** Lines as Django exports them, half of them with an id and a foreign hash. @param {string} file */
async function writeUsers(file) {
  const out = createWriteStream(file)
  for (let n = 1; n <= users; n += 1) {
    const password =
      n % 2 === 0
        ? `pbkdf2_sha256$600000$${n}salt$7P9nwLc4mEGaI4QEXqirtgU2QIn0M2eaAspel9YLHlo=`
        : '$2b$12$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW'
    const username = `imported-${n}`
    const fields = {
      username,
      email: `${username}@example.com`,
      password,
      date_joined: '2020-01-01T12:00:00Z',
    }
    if (!out.write(`${JSON.stringify({ model: 'auth.user', pk: n, fields })}\n`))
      await new Promise((resolve) => out.once('drain', () => resolve(undefined)))
  }
  await new Promise((resolve) => out.end(() => resolve(undefined)))
}

/** @param {string} project @param {string} file @param {Record<string, string>} env */
async function measure(project, file, env) {
  const { child, url } = await start(project, 'dist/server.js', env)
  let isRunning = true
  /** @type {number[]} */
  const latencies = []
  const probe = (async () => {
    while (isRunning) {
      const sentAt = performance.now()
      const answer = await fetch(`${url}/api/v1/auth/forgot-password`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ email: `${latencies.length}@example.com` }),
      })
      if (answer.status !== 202) throw new Error(`forgot-password answered ${answer.status}`)
      latencies.push(performance.now() - sentAt)
      await delay(100)
    }
  })()
  const startedAt = performance.now()
  const command = spawn(
    process.execPath,
    [REPORT, 'dist/commands/user.js', 'import', file, '--format', 'django', '--map', `${file}.ids`],
    {
      cwd: project,
      env: { ...process.env, ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    },
  )
  let printed = ''
  command.stdout.on('data', (chunk) => {
    printed += chunk
  })
  const code = await new Promise((resolve) => command.once('close', resolve))
  const seconds = (performance.now() - startedAt) / 1000
  isRunning = false
  await probe.finally(() => child.kill())
  if (code !== 0 || !printed.startsWith(`Imported ${users} users.`))
    throw new Error(`exit code ${code}: ${printed}`)
  const sorted = latencies.sort((one, other) => one - other)
  const at = (/** @type {number} */ share) =>
    (sorted[Math.floor(share * (sorted.length - 1))] ?? 0).toFixed(0)
  const [, cpu] = /^CPU (\d+)$/m.exec(printed) ?? []
  return `${seconds.toFixed(0)} s (${cpu} s of CPU); forgot-password meanwhile: median ${at(0.5)} ms, p99 ${at(0.99)} ms, longest ${at(1)} ms`
}

const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-bench-'))
const file = join(scratch, 'users.ndjson')
/** @type {(() => void)[]} */
const ends = [() => rmSync(scratch, { recursive: true, force: true })]
try {
  await writeUsers(file)
  for (const database of options.database) {
    const project = build(database)
    const env = { ...settings, DATABASE_URL: `file:${join(scratch, 'app.db')}` }
    if (database === 'postgres') {
      const programs = findPostgres()
      if (!programs) throw new Error('PostgreSQL is missing: initdb not found. Install PostgreSQL.')
      const cluster = await createCluster(programs)
      ends.unshift(cluster.remove)
      env.DATABASE_URL = cluster.url
    }
    const figures = await measure(project, file, env)
    console.log(
      `${database}: ${users} users in ${figures}, load average ${loadavg().map((load) => load.toFixed(1))}`,
    )
    rmSync(`${file}.ids`)
  }
} finally {
  for (const end of ends) end()
}
