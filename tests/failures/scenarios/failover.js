import { setTimeout as delay } from 'node:timers/promises'
import { createAddress } from '../address.js'
import { needs, newCluster } from '../needs.js'
import { direct, underLoad } from '../scenario.js'

/** @typedef {import('../../support/cluster.js').Cluster} Cluster */

/**
 * The server crashes, its replica is promoted, and the address moves to it. Replication is synchronous: a commit waits
 * until the replica has it. Without that, the replica lacks the last commits, so users are lost and ended sessions come
 * back. What holds then: the replica has all commits up to some moment, and only the documented statuses occur.
 * @type {import('../scenario.js').Scenario}
 */
export const failover = {
  title: 'failover to a promoted replica, with synchronous replication',
  needs: [needs.postgres],
  shortTimes: 1,
  async run({ project, times, through = direct }) {
    const folder = await project('postgres')
    let primary = await newCluster()
    const address = await createAddress()
    address.moveTo(primary)
    try {
      return await underLoad({
        instances: [{ project: folder }],
        databaseUrl: await through(address.url),
        times,
        async fail(_number, { watch, health, clients }) {
          const crashing = primary
          const replica = await newCluster({}, { replicaOf: crashing })
          await replicateSynchronously(crashing)
          await clients.each('answered', 5)

          const back = watch.outage('database')
          await crashing.stop('immediate')
          await health.ready(503)
          await clients.each('turnedAway', 2)
          await replica.promote()
          address.moveTo(replica)
          address.cut()
          back()
          primary = replica
          crashing.remove()
        },
      })
    } finally {
      address.close()
      primary.remove()
    }
  },
}

/** Commits wait for the replica from now on. @param {Cluster} primary */
async function replicateSynchronously(primary) {
  await primary.sql(`ALTER SYSTEM SET synchronous_standby_names TO '*'`, 'SELECT pg_reload_conf()')
  const isSynchronous = `SELECT count(*) FROM pg_stat_replication WHERE sync_state = 'sync'`
  while ((await primary.sql(isSynchronous)) !== '1') await delay(50)
}
