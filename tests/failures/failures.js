import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { underLoad } from './scenario.js'
import { POOL_SIZE } from './service.js'

/**
 * Restarts the database server under load, alternating fast and immediate shutdown. The service must answer 503.
 * @param {string} project
 * @param {import('../support/cluster.js').Cluster} cluster
 * @param {number} times
 */
export function restartDatabase(project, cluster, times) {
  return withoutDatabase(project, cluster, times, {
    leave: (number) => cluster.stop(number % 2 === 0 ? 'fast' : 'immediate'),
    comeBack: () => cluster.start(),
  })
}

/**
 * Freezes the database server under load: it keeps its connections but does not answer.
 * @param {string} project
 * @param {import('../support/cluster.js').Cluster} cluster
 * @param {number} times
 */
export function freezeDatabase(project, cluster, times) {
  return withoutDatabase(project, cluster, times, {
    leave: () => cluster.freeze(),
    comeBack: () => cluster.thaw(),
  })
}

/**
 * @param {string} project
 * @param {import('../support/cluster.js').Cluster} cluster
 * @param {number} times
 * @param {{ leave(number: number): unknown, comeBack(): unknown }} outage
 */
function withoutDatabase(project, cluster, times, { leave, comeBack }) {
  return underLoad({
    project,
    databaseUrl: cluster.url,
    times,
    async fail(number, { watch, health, clients }) {
      const back = watch.outage('database')
      await leave(number)
      await health.ready(503)
      await clients.each('turnedAway', 2)
      await comeBack()
      back()
    },
    checkDatabase: (serviceUrl) => checkConnections(project, cluster.url, serviceUrl),
  })
}

/**
 * Kills the service under load and starts it again.
 * @param {string} project
 * @param {string} databaseUrl
 * @param {number} times
 */
export function killService(project, databaseUrl, times) {
  return underLoad({
    project,
    databaseUrl,
    times,
    async fail(_number, { service, watch, health }) {
      const back = watch.outage('process')
      await service.kill()
      await health.ready(undefined)
      service.start()
      await service.listens()
      back()
    },
    checkDatabase: async (serviceUrl) =>
      databaseUrl.startsWith('file:') ? [] : checkConnections(project, databaseUrl, serviceUrl),
  })
}

/**
 * Checks that the pool leaks no connection: with enough requests at once, it uses each of them again.
 * @param {string} project a project with the pg driver
 * @param {string} url
 * @param {string} serviceUrl
 */
async function checkConnections(project, url, serviceUrl) {
  const { Client } = createRequire(join(project, 'package.json'))('pg')
  const client = new Client({ connectionString: url })
  await client.connect()
  /** @param {string} which */
  const count = async (which) => {
    const { rows } = await client.query(
      `SELECT count(*)::int AS count FROM pg_stat_activity
       WHERE backend_type = 'client backend' AND pid <> pg_backend_pid() AND ${which}`,
    )
    return rows[0].count
  }
  try {
    const faults = []
    const all = await count('true')
    if (all > POOL_SIZE) faults.push(`${all} connections for a pool of ${POOL_SIZE}`)
    const { rows } = await client.query('SELECT now()::text AS now')
    const unused = () => count(`state_change < '${rows[0].now}'`)
    const giveUpAt = performance.now() + 500_000
    let lost = await unused()
    while (lost > 0 && performance.now() < giveUpAt) {
      await Promise.all(Array.from({ length: 4 * POOL_SIZE }, () => fetch(`${serviceUrl}/health/ready`)))
      await delay(200)
      lost = await unused()
    }
    if (lost > 0) faults.push(`${lost} leaked connections: not used again`)
    return faults
  } finally {
    await client.end()
  }
}
