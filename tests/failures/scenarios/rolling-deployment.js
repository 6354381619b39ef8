import { needs, newCluster } from '../needs.js'
import { underLoad } from '../scenario.js'
import { withMigration } from '../with-migration.js'

/**
 * An instance with a new migration starts while one without it runs, and applies it. Both serve the same users, then only
 * the new one. Going back, the old version starts on the new schema, and both serve again.
 * @type {import('../scenario.js').Scenario}
 */
export const rollingDeployment = {
  title: 'a rolling deployment with a migration, and back',
  needs: [needs.postgres],
  shortTimes: 0,
  async run({ project, scratch, times }) {
    const old = await project('postgres')
    const current = withMigration(old, scratch)
    const cluster = await newCluster()
    /** @type {import('../service.js').Service | undefined} */
    let serving
    try {
      return await underLoad({
        instances: [{ project: old }],
        databaseUrl: cluster.url,
        times,
        async fail(_number, { service, clients, add, retire }) {
          for (const project of [current, old]) {
            const next = await add({ project })
            await clients.each('answered', 15)
            await retire(serving ?? service)
            serving = next
            await clients.each('answered', 15)
          }
        },
      })
    } finally {
      cluster.remove()
    }
  },
}
