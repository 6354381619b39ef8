import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCluster, findPostgres } from '../support/cluster.js'
import { currentSession, installBetterAuth } from './better-auth.js'
import { compare } from './compare.js'
import { CORE, createService, currentUser, HELLO, registered, start } from './service.js'

const USER = 'alice'
/** An answer about the current user contains it. */
const EMAIL = `${USER}@example.com`

/** Makes PostgreSQL count what it executes. */
const COUNTING = { shared_preload_libraries: 'pg_stat_statements' }

/**
 * Asks who the caller is: services on SQLite and, if its programs are installed, PostgreSQL, and better-auth, all beside
 * a bare Fastify. Rounds start with another program each time, so that a machine that slows down favors none.
 * @param {string} scratch an existing folder
 * @param {string} sqlite a built service on SQLite, whose Fastify and better-sqlite3 the others use too
 * @param {import('./service.js').Load} load
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>}
 */
export async function measurePeers(scratch, sqlite, load, rounds) {
  const peer = installBetterAuth(sqlite)
  const installed = findPostgres()
  if (!installed) console.log('PostgreSQL is not measured: initdb not found.')
  const postgres = installed ? createService(scratch, 'postgres') : undefined
  const cluster = installed ? await createCluster(installed, COUNTING) : undefined
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = []
  /** @param {string} folder @param {string} script @param {Record<string, string>} [settings] */
  const run = async (folder, script, settings) => {
    const { child, url } = await start(folder, script, settings, CORE)
    children.push(child)
    return { url, pid: child.pid }
  }
  /** @param {string} name @param {number} goal @param {string} folder @param {Record<string, string>} [settings] */
  const service = async (name, goal, folder, settings) => {
    const { url, pid } = await run(folder, 'dist/server.js', settings)
    await registered(url, USER)
    return {
      name: `create-authsmith, ${name}`,
      goal,
      pid,
      request: await currentUser(url, USER),
      mark: EMAIL,
    }
  }
  try {
    writeFileSync(join(sqlite, 'hello.js'), HELLO)
    const hello = await run(sqlite, 'hello.js')
    const bare = {
      name: 'bare Fastify',
      pid: hello.pid,
      request: { url: `${hello.url}/health/ready` },
      mark: 'hello',
    }
    /** @type {import('./compare.js').Program[]} */
    const programs = [bare, await service('SQLite', 0.42, sqlite)]
    if (postgres && cluster) {
      const program = await service('PostgreSQL', 0.45, postgres, { DATABASE_URL: cluster.url })
      await cluster.sql('CREATE EXTENSION pg_stat_statements')
      programs.push({ ...program, database: () => executedBy(cluster) })
    }
    const other = await run(peer.folder, 'server.js', peer.settings)
    programs.push({
      name: `better-auth ${peer.version}, SQLite`,
      pid: other.pid,
      request: await currentSession(other.url, USER, EMAIL),
      mark: EMAIL,
    })
    return await compare(programs, load, rounds)
  } finally {
    for (const child of children) child.kill()
    cluster?.remove()
  }
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
