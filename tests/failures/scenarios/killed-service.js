import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { checkConnections } from '../connections.js'
import { needs, newCluster } from '../needs.js'
import { direct, underLoad } from '../scenario.js'

/**
 * Kills the service under load and starts it again.
 * @param {string} project
 * @param {string} databaseUrl
 * @param {number} times
 * @param {(serviceUrl: string) => Promise<string[]>} [checkDatabase]
 */
const killService = (project, databaseUrl, times, checkDatabase) =>
  underLoad({
    instances: [{ project }],
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
    ...(checkDatabase && { checkDatabase }),
  })

/** @type {import('../scenario.js').Scenario} */
export const killedOnPostgres = {
  title: 'kill -9 of the service on PostgreSQL',
  needs: [needs.postgres],
  shortTimes: 2,
  async run({ project, times, through = direct }) {
    const folder = await project('postgres')
    const cluster = await newCluster()
    try {
      return await killService(folder, await through(cluster.url), times, (serviceUrl) =>
        checkConnections(folder, cluster.url, serviceUrl),
      )
    } finally {
      cluster.remove()
    }
  },
}

/** @type {import('../scenario.js').Scenario} */
export const killedOnSqlite = {
  title: 'kill -9 of the service on SQLite',
  needs: [],
  shortTimes: 2,
  async run({ project, scratch, times }) {
    const file = join(mkdtempSync(join(scratch, 'data-')), 'app.db')
    return killService(await project('sqlite'), `file:${file}`, times)
  },
}
