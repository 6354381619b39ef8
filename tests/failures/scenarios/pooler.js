import { needs, newCluster, newPooler } from '../needs.js'
import { underLoad } from '../scenario.js'

/**
 * A scenario with PgBouncer in transaction mode in front of the server.
 * @param {import('../scenario.js').Scenario} scenario
 * @returns {import('../scenario.js').Scenario}
 */
export const pooled = ({ title, needs: others, run }) => ({
  title: `${title}, behind PgBouncer`,
  needs: [...others, needs.pooler],
  shortTimes: 0,
  async run(tools) {
    /** @type {import('../../support/pooler.js').Pooler | undefined} */
    let bouncer
    try {
      return await run({
        ...tools,
        async through(url) {
          bouncer = await newBouncer(url, tools.scratch)
          return bouncer.urlOf(url)
        },
      })
    } finally {
      await bouncer?.stop()
    }
  },
})

/** @param {string} server @param {string} folder */
const newBouncer = (server, folder) =>
  newPooler(server, { folder, size: 4, settings: { server_login_retry: 1 } })

/**
 * PgBouncer in transaction mode is in front of the server. The server restarts, then PgBouncer is killed and started
 * again. After a failure, PgBouncer refuses clients for `server_login_retry`, 15 seconds by default.
 * @type {import('../scenario.js').Scenario}
 */
export const pooler = {
  title: 'PostgreSQL restarted behind PgBouncer, and PgBouncer killed',
  needs: [needs.postgres, needs.pooler],
  shortTimes: 2,
  async run({ project, scratch, times }) {
    const folder = await project('postgres')
    const cluster = await newCluster()
    const bouncer = await newBouncer(cluster.url, scratch)
    const parts = [
      { stop: () => cluster.stop('immediate'), start: () => cluster.start() },
      { stop: () => bouncer.stop('SIGKILL'), start: () => bouncer.start() },
    ]
    try {
      return await underLoad({
        instances: [{ project: folder }],
        databaseUrl: bouncer.urlOf(cluster.url),
        times,
        async fail(number, { watch, health, clients }) {
          const part = parts[number % 2]
          const back = watch.outage('database')
          await part?.stop()
          await health.ready(503)
          await clients.each('turnedAway', 2)
          await part?.start()
          back()
        },
      })
    } finally {
      await bouncer.stop()
      cluster.remove()
    }
  },
}
