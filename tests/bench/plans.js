// npm run plans [-- --A <project> --B <project> --users 100000 --sessions 3]: checks that every query of the service uses
// an index in large tables, and measures it. auto_explain logs how each query ran, with custom and generic plans. --users
// sets the size of the tables, --sessions the sessions for each user. Exit code 1 if a query reads or sorts many rows.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCluster, findPostgres } from '../support/cluster.js'
import { fill, fillBacklog } from './fill.js'
import { runJobs, useEverything } from './flows.js'
import { start } from './service.js'

const CHEAP_HASH = { A: { BCRYPT_COST: '10' }, B: { ARGON2_MEMORY_KIB: '19456', ARGON2_TIME_COST: '2' } }

/** A query that reads or sorts more rows is a fault, also through an index. A queue that is empty may be scanned. */
const FEW_ROWS = 1_000

/** Tables of which no query may read more rows. */
const LARGE = [
  'users',
  'tokens',
  'refresh_tokens',
  'verification_codes',
  'outbox',
  'attempts',
  'mail_requests',
  'email_changes',
  'retired_names',
]

// A normal exit also stops the database servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')
const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-plans-'))
const { values: given } = parseArgs({
  options: {
    A: { type: 'string' },
    B: { type: 'string' },
    users: { type: 'string', default: '100000' },
    sessions: { type: 'string', default: '3' },
  },
})
const size = { users: Number(given.users), sessionsPerUser: Number(given.sessions) }

/** @typedef {'A' | 'B'} Profile */

/**
 * How a query ran: its plans, and for each call the time in milliseconds and the bytes of WAL.
 * @typedef {{ plans: Set<string>, isSlow: boolean, times: number[], wal: number[] }} Query
 */

/** @param {Profile} profile */
function project(profile) {
  if (given[profile] !== undefined) return given[profile]
  const folder = join(scratch, profile.toLowerCase())
  const addOns = profile === 'B' ? 'account-data,admin' : 'account-data'
  const answers = ['--mode', 'complete', '--profile', profile, '--database', 'postgres', '--add', addOns]
  execFileSync(process.execPath, [bin, folder, ...answers, '--no-git'], { stdio: 'inherit' })
  execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit' })
  return folder
}

/**
 * Uses every part of a service on large tables.
 * @param {Profile} profile
 * @param {string} programs the result of findPostgres()
 * @returns {Promise<Map<string, Query>>}
 */
async function collectQueries(profile, programs) {
  const folder = project(profile)
  const cluster = await createCluster(programs, {
    fsync: 'off',
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_analyze': 'on',
    'auto_explain.log_timing': 'off',
    'auto_explain.log_wal': 'on',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
  })
  try {
    const settings = { DATABASE_URL: cluster.url, RATE_LIMIT_ENABLED: 'true', ...CHEAP_HASH[profile] }
    // The first start creates the tables.
    const first = await start(folder, 'dist/server.js', settings)
    first.child.kill()
    await fill(folder, cluster.url, profile, size)
    // Skips the plans of the migrations, which run on empty tables.
    const { length } = readFileSync(cluster.log, 'utf8')
    await useEverything(folder, profile, settings)
    await fillBacklog(folder, cluster.url, size)
    runJobs(folder, settings)
    return queriesIn(readFileSync(cluster.log, 'utf8').slice(length))
  } finally {
    cluster.remove()
  }
}

/**
 * @param {string} log
 * @returns {Map<string, Query>}
 */
function queriesIn(log) {
  /** @type {Map<string, Query>} */
  const queries = new Map()
  for (const [, ms, json = ''] of log.matchAll(/duration: ([\d.]+) ms {2}plan:\n((?:\t.*\n)+)/g)) {
    const { 'Query Text': text, Plan: plan } = JSON.parse(json.replaceAll(/\n\t/g, ' '))
    const query = queries.get(text) ?? { plans: new Set(), isSlow: false, times: [], wal: [] }
    const nodes = nodesOf(plan)
    query.plans.add(nodes.map(nameOf).join(', '))
    query.isSlow ||= nodes.some(readsMany) || nodesIn(plan).some(sortsMany)
    query.times.push(Number(ms))
    query.wal.push(plan['WAL Bytes'] ?? 0)
    queries.set(text, query)
  }
  return queries
}

/**
 * @param {any} plan
 * @returns {any[]}
 */
const nodesIn = (plan) => [plan, ...(plan.Plans ?? []).flatMap(nodesIn)]

/**
 * @param {any} plan
 * @returns {any[]} each access to a table or an index
 */
const nodesOf = (plan) =>
  nodesIn(plan).filter(
    (node) => (node['Index Name'] ?? node['Relation Name']) && node['Node Type'] !== 'ModifyTable',
  )

/** @param {any} node */
const nameOf = (node) => `${node['Node Type']} on ${node['Index Name'] ?? node['Relation Name']}`

/** @param {any} node what it returned and what it read in vain, in all its runs */
const rowsOf = (node) =>
  (node['Actual Rows'] +
    (node['Rows Removed by Filter'] ?? 0) +
    (node['Rows Removed by Index Recheck'] ?? 0)) *
  node['Actual Loops']

/** @param {any} node */
const readsMany = (node) => LARGE.includes(node['Relation Name']) && rowsOf(node) > FEW_ROWS

/** @param {any} node */
const sortsMany = (node) =>
  node['Node Type'].endsWith('Sort') &&
  node.Plans.some((/** @type {any} */ input) => rowsOf(input) > FEW_ROWS)

/** @param {number[]} values */
const sum = (values) => values.reduce((total, value) => total + value, 0)

let isBroken = false
try {
  const programs = findPostgres()
  if (!programs) throw new Error('PostgreSQL is missing: initdb not found. Install PostgreSQL.')
  for (const profile of /** @type {const} */ (['B', 'A'])) {
    const queries = await collectQueries(profile, programs)
    const { users, sessionsPerUser } = size
    console.log(
      `\nprofile ${profile}: ${queries.size} queries, with ${users} users and ${users * sessionsPerUser} sessions`,
    )
    for (const [text, { plans, isSlow, times, wal }] of queries) {
      if (isSlow) isBroken = true
      const calls = times.length
      console.log(`${isSlow ? 'FAULT' : '  ok '} ${[...plans].filter(Boolean).join(' | ') || 'no table'}`)
      console.log(`      ${text}`)
      const mean = `${(sum(times) / calls).toFixed(2)} ms and ${Math.round(sum(wal) / calls)} bytes of WAL`
      console.log(`      ${calls} calls, each ${mean}, the slowest ${Math.max(...times).toFixed(2)} ms`)
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = isBroken ? 1 : 0
