import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCluster, findPostgres } from '../support/cluster.js'
import { currentSession, installBetterAuth } from './better-auth.js'
import { compare } from './compare.js'
import { CORE, createService, HELLO, newName, start, startWithUser } from './service.js'

/** Makes PostgreSQL count what it executes. */
const COUNTING = { shared_preload_libraries: 'pg_stat_statements' }

/**
 * Asks who the caller is: services on SQLite and, if its programs are installed, PostgreSQL, and better-auth, all beside
 * a bare Fastify. Rounds start with another program each time, so that a machine that slows down favors none.
 * @param {string} scratch an existing folder
 * @param {string} sqlite a built service on SQLite, whose Fastify and better-sqlite3 the others use too
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>}
 */
export async function measurePeers(scratch, sqlite, rounds) {
  const peer = installBetterAuth(sqlite)
  const installed = findPostgres()
  if (!installed) console.log('PostgreSQL is not measured: initdb not found.')
  const postgres = installed ? createService(scratch, 'postgres') : undefined
  const cluster = installed ? await createCluster(installed, COUNTING) : undefined
  writeFileSync(join(sqlite, 'hello.js'), HELLO)
  /** @type {import('./compare.js').Program[]} */
  const programs = [
    { name: 'bare Fastify', start: () => startHello(sqlite) },
    { name: 'create-authsmith, SQLite', goal: 0.42, start: () => startWithUser(sqlite) },
  ]
  if (postgres && cluster)
    programs.push({
      name: 'create-authsmith, PostgreSQL',
      goal: 0.45,
      start: async () => ({
        ...(await startWithUser(postgres, { DATABASE_URL: cluster.url })),
        database: () => executedBy(cluster),
      }),
    })
  programs.push({ name: `better-auth ${peer.version}, SQLite`, start: () => startBetterAuth(peer) })
  try {
    await cluster?.sql('CREATE EXTENSION pg_stat_statements')
    return await compare(programs, rounds)
  } finally {
    cluster?.remove()
  }
}

/** @param {string} folder */
async function startHello(folder) {
  const { child, url } = await start(folder, 'hello.js', {}, CORE)
  return { children: [child], request: { url: `${url}/health/ready`, headers: {} }, mark: 'hello' }
}

/** @param {ReturnType<typeof installBetterAuth>} peer */
async function startBetterAuth({ folder, settings }) {
  const { child, url } = await start(folder, 'server.js', settings, CORE)
  const name = newName()
  const request = await currentSession(url, name, `${name}@example.com`)
  return { children: [child], request, mark: name }
}

/**
 * What a server with `COUNTING` has executed so far.
 * @param {import('../support/cluster.js').Cluster} cluster
 */
async function executedBy(cluster) {
  const sums = 'SELECT sum(calls), sum(total_exec_time) FROM pg_stat_statements'
  const row = await cluster.sql(`${sums} WHERE query NOT LIKE '%pg_stat_statements%'`)
  const [queries = 0, ms = 0] = row.split('|').map(Number)
  return { queries, ms }
}
