import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { checkConnections } from '../connections.js'
import { needs, newCluster } from '../needs.js'
import { underLoad } from '../scenario.js'

/**
 * Kills the service under load and starts it again.
 * @param {string} project
 * @param {string} databaseUrl
 * @param {number} times
 */
const killService = (project, databaseUrl, times) =>
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
    checkDatabase: async (serviceUrl) =>
      databaseUrl.startsWith('file:') ? [] : checkConnections(project, databaseUrl, serviceUrl),
  })

/** @type {import('../scenario.js').Scenario} */
export const killedOnPostgres = {
  title: 'kill -9 of the service on PostgreSQL',
  needs: [needs.postgres],
  shortTimes: 2,
  async run({ project, times }) {
    const folder = await project('postgres')
    const cluster = await newCluster()
    try {
      return await killService(folder, cluster.url, times)
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
