import { needs, newCluster } from '../needs.js'
import { underLoad } from '../scenario.js'

/**
 * An instance of this version starts while one of an older version runs, and applies the migrations. Both serve the same
 * users, then only the new one. Going back, the old version starts on the new schema, and both serve again.
 * @param {string} version
 * @returns {import('../scenario.js').Scenario}
 */
export const rollingDeployment = (version) => ({
  title: `a rolling deployment from ${version} and back`,
  needs: [needs.postgres],
  shortTimes: 0,
  async run({ update, times }) {
    const { old, current } = await update(version)
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
})
