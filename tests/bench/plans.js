// npm run plans [-- --A <project> --B <project>]: checks that every query of the service uses an index in large tables.
// auto_explain logs the plan of each query, custom and generic. Exit code 1 if a query scans a large table.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCluster, findPostgres } from '../support/cluster.js'
import { fill } from './fill.js'
import { useEverything } from './flows.js'
import { start } from './service.js'

const SIZE = { users: 60_000, sessionsPerUser: 3 }
const CHEAP_HASH = { A: { BCRYPT_COST: '10' }, B: { ARGON2_MEMORY_KIB: '19456', ARGON2_TIME_COST: '2' } }

/** Tables that no query may scan sequentially. */
const LARGE = [
  'users',
  'tokens',
  'refresh_tokens',
  'verification_codes',
  'outbox',
  'attempts',
  'mail_requests',
  'email_changes',
]

// A normal exit also stops the database servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')
const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-plans-'))
const { values: given } = parseArgs({ options: { A: { type: 'string' }, B: { type: 'string' } } })

/** @typedef {'A' | 'B'} Profile */

/** @param {Profile} profile */
function project(profile) {
  if (given[profile] !== undefined) return given[profile]
  const folder = join(scratch, profile)
  const answers = ['--mode', 'complete', '--profile', profile, '--database', 'postgres', '--no-git']
  execFileSync(process.execPath, [bin, folder, ...answers], { stdio: 'inherit' })
  execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit' })
  return folder
}

/**
 * Uses every part of a service on large tables.
 * @param {Profile} profile
 * @param {string} programs the result of findPostgres()
 * @returns {Promise<Map<string, Set<string>>>} the plans of each query
 */
async function collectPlans(profile, programs) {
  const folder = project(profile)
  const cluster = await createCluster(programs, {
    fsync: 'off',
    session_preload_libraries: 'auto_explain',
    'auto_explain.log_min_duration': '0',
    'auto_explain.log_nested_statements': 'on',
    'auto_explain.log_format': 'json',
  })
  try {
    const settings = { DATABASE_URL: cluster.url, RATE_LIMIT_ENABLED: 'true', ...CHEAP_HASH[profile] }
    // The first start creates the tables.
    const first = await start(folder, 'dist/server.js', settings)
    first.child.kill()
    await fill(folder, cluster.url, profile, SIZE)
    // Skips the plans of the migrations, which run on empty tables.
    const { length } = readFileSync(cluster.log, 'utf8')
    await useEverything(folder, profile, settings)
    return plansIn(readFileSync(cluster.log, 'utf8').slice(length))
  } finally {
    cluster.remove()
  }
}

/**
 * @param {string} log
 * @returns {Map<string, Set<string>>}
 */
function plansIn(log) {
  /** @type {Map<string, Set<string>>} */
  const plans = new Map()
  for (const [, json = ''] of log.matchAll(/duration: [\d.]+ ms {2}plan:\n((?:\t.*\n)+)/g)) {
    const { 'Query Text': query, Plan: plan } = JSON.parse(json.replaceAll(/\n\t/g, ' '))
    const known = plans.get(query) ?? new Set()
    plans.set(query, known.add(nodesOf(plan).join(', ')))
  }
  return plans
}

/**
 * @param {any} plan
 * @returns {string[]} each access to a table or an index
 */
function nodesOf(plan) {
  const name = plan['Index Name'] ?? plan['Relation Name']
  const own = name && plan['Node Type'] !== 'ModifyTable' ? [`${plan['Node Type']} on ${name}`] : []
  return [...own, ...(plan.Plans ?? []).flatMap(nodesOf)]
}

let isBroken = false
try {
  const programs = findPostgres()
  if (!programs) throw new Error('PostgreSQL is missing: initdb not found. Install PostgreSQL.')
  for (const profile of /** @type {const} */ (['B', 'A'])) {
    const plans = await collectPlans(profile, programs)
    console.log(`\nprofile ${profile}: ${plans.size} queries, with ${SIZE.users} users`)
    for (const [query, ways] of plans) {
      const isSlow = [...ways].some((way) =>
        LARGE.some((table) => `${way},`.includes(`Seq Scan on ${table},`)),
      )
      if (isSlow) isBroken = true
      console.log(
        `${isSlow ? 'FAULT' : '  ok '} ${[...ways].filter(Boolean).join(' | ') || 'no table'}\n      ${query}`,
      )
    }
  }
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = isBroken ? 1 : 0
