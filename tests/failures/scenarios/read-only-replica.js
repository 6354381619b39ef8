import { setTimeout as delay } from 'node:timers/promises'
import { createAddress } from '../address.js'
import { needs, newCluster } from '../needs.js'
import { underLoad } from '../scenario.js'

/** @typedef {import('../../support/cluster.js').Cluster} Cluster */

/**
 * The address leads to a replica that is not promoted and lags behind, and then back to the primary. Connections to the
 * replica stay open, as after a change of a DNS name. A replica that answered would accept ended sessions.
 * @type {import('../scenario.js').Scenario}
 */
export const readOnlyReplica = {
  title: 'a replica that stays read-only and lags behind',
  needs: [needs.postgres],
  shortTimes: 1,
  async run({ project, times }) {
    const folder = await project('postgres')
    const primary = await newCluster()
    const replica = await newCluster({}, { replicaOf: primary })
    const address = await createAddress()
    address.moveTo(primary)
    try {
      return await underLoad({
        instances: [{ project: folder }],
        databaseUrl: address.url,
        times,
        async fail(_number, { watch, health, clients }) {
          await lagBehind(replica, primary)
          await clients.each('answered', 15)

          const back = watch.outage('database')
          address.moveTo(replica)
          address.cut()
          await health.ready(503)
          await clients.each('turnedAway', 2)
          address.moveTo(primary)
          back()
        },
      })
    } finally {
      address.close()
      replica.remove()
      primary.remove()
    }
  },
}

/**
 * Stops the replica at the present state of the primary.
 * @param {Cluster} replica
 * @param {Cluster} primary
 */
async function lagBehind(replica, primary) {
  const present = await primary.sql('SELECT pg_current_wal_lsn()')
  await replica.sql('SELECT pg_wal_replay_resume()')
  while ((await replica.sql(`SELECT pg_last_wal_replay_lsn() >= '${present}'`)) !== 't') await delay(50)
  await replica.sql('SELECT pg_wal_replay_pause()')
}
