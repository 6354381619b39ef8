import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { findPostgres } from '../../support/cluster.js'
import { needs, newCluster } from '../needs.js'
import { underLoad } from '../scenario.js'
import { withMigration } from '../with-migration.js'

/** @typedef {import('../../support/cluster.js').Cluster} Cluster */

/**
 * A dump runs while a new version starts under load, as a nightly backup can. It locks all tables until it ends, so
 * the migration waits. Requests must not wait behind it, and the dump is complete.
 * @type {import('../scenario.js').Scenario}
 */
export const dumpDuringMigration = {
  title: 'a dump while a migration is applied',
  needs: [needs.postgres],
  shortTimes: 0,
  async run({ project, scratch }) {
    const old = await project('postgres')
    const current = withMigration(old, scratch)
    const cluster = await newCluster()
    /** @type {string[]} */
    const faults = []
    try {
      const report = await underLoad({
        instances: [{ project: old }],
        databaseUrl: cluster.url,
        times: 1,
        async fail(_number, { service, clients, add, retire }) {
          const applied = await countMigrations(cluster)
          const users = Number(await cluster.sql('SELECT count(*) FROM users'))
          const dump = await startDump(cluster)
          const added = add({ project: current })
          await clients.each('answered', 60)
          if ((await countMigrations(cluster)) !== applied)
            faults.push('the migration did not wait for the dump')
          const dumped = await dump.restore()
          if (dumped < users) faults.push(`the dump has ${dumped} users, not ${users}`)
          await added
          if ((await countMigrations(cluster)) === applied) faults.push('no migration was applied')
          await retire(service)
        },
      })
      report.faults.push(...faults)
      return report
    } finally {
      cluster.remove()
    }
  },
}

/** @param {Cluster} cluster */
const countMigrations = (cluster) => cluster.sql('SELECT count(*) FROM __drizzle_migrations')

/** Starts pg_dump. It holds its locks until its output is read, because no pipe has room for all of it. @param {Cluster} cluster */
async function startDump({ sql, url }) {
  await sql('CREATE TABLE filler AS SELECT md5(number::text) FROM generate_series(1, 200000) AS number')
  const program = (/** @type {string} */ name) => join(String(findPostgres()), name)
  const dump = spawn(program('pg_dump'), ['-d', url], { stdio: ['ignore', 'pipe', 'inherit'] })
  const ended = once(dump, 'close')
  const hasLocks = `SELECT count(*) > 0 FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE application_name = 'pg_dump' AND relation = 'users'::regclass`
  while ((await sql(hasLocks)) !== 't') await delay(50)
  return {
    /** Restores it into a new database. @returns the number of users */
    async restore() {
      await sql('CREATE DATABASE restored')
      const restored = new URL(url)
      restored.pathname = '/restored'
      const args = ['-qX', '-v', 'ON_ERROR_STOP=1', '-d', restored.href]
      const restore = spawn(program('psql'), args, { stdio: ['pipe', 'ignore', 'inherit'] })
      dump.stdout.pipe(restore.stdin)
      const [[dumpCode], [restoreCode]] = await Promise.all([ended, once(restore, 'close')])
      if (dumpCode !== 0 || restoreCode !== 0) throw new Error(`pg_dump: ${dumpCode}, psql: ${restoreCode}`)
      return Number(await sql('\\connect restored', 'SELECT count(*) FROM users'))
    },
  }
}
