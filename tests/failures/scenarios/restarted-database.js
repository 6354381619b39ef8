import { checkConnections } from '../connections.js'
import { needs, newCluster } from '../needs.js'
import { underLoad } from '../scenario.js'

/**
 * The server stops under load, alternating fast and immediate shutdown, or is frozen: it keeps its connections but
 * does not answer. The service must answer 503 meanwhile.
 * @param {string} title
 * @param {(cluster: import('../../support/cluster.js').Cluster, number: number) => unknown} leave
 * @param {(cluster: import('../../support/cluster.js').Cluster) => unknown} comeBack
 * @returns {import('../scenario.js').Scenario}
 */
const withoutDatabase = (title, leave, comeBack) => ({
  title,
  needs: [needs.postgres],
  shortTimes: 2,
  async run({ project, times }) {
    const folder = await project('postgres')
    const cluster = await newCluster()
    try {
      return await underLoad({
        instances: [{ project: folder }],
        databaseUrl: cluster.url,
        times,
        async fail(number, { watch, health, clients }) {
          const back = watch.outage('database')
          await leave(cluster, number)
          await health.ready(503)
          await clients.each('turnedAway', 2)
          await comeBack(cluster)
          back()
        },
        checkDatabase: (serviceUrl) => checkConnections(folder, cluster.url, serviceUrl),
      })
    } finally {
      cluster.remove()
    }
  },
})

export const restartedDatabase = withoutDatabase(
  'PostgreSQL restarted, alternating fast and immediate shutdown',
  (cluster, number) => cluster.stop(number % 2 === 0 ? 'fast' : 'immediate'),
  (cluster) => cluster.start(),
)

export const frozenDatabase = withoutDatabase(
  'PostgreSQL frozen',
  (cluster) => cluster.freeze(),
  (cluster) => cluster.thaw(),
)
