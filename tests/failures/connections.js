import { createRequire } from 'node:module'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { sendJson } from '../support/request.js'
import { POOL_SIZE } from './service.js'

/**
 * Checks that the pool leaks no connection: with enough requests at once, it uses each of them again.
 * @param {string} project a project with the pg driver
 * @param {string} url
 * @param {string} serviceUrl
 */
export async function checkConnections(project, url, serviceUrl) {
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
      // Each login uses a connection, while health checks and token checks of the same moment share one.
      const logins = Array.from({ length: 4 * POOL_SIZE }, (_, number) => {
        const body = { username: `nobody-${number}`, password: 'Wrong-Password-1' }
        return sendJson(`${serviceUrl}/api/v1/auth/login`, 'POST', { body })
      })
      await Promise.all(logins)
      await delay(200)
      lost = await unused()
    }
    if (lost > 0) faults.push(`${lost} leaked connections: not used again`)
    return faults
  } finally {
    await client.end()
  }
}
