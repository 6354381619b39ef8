import { createCluster, findPostgres } from '../support/cluster.js'
import { findPooler, startPooler } from '../support/pooler.js'
import { findMissingDisk } from './disk.js'

/** What a scenario needs of the machine. Each function returns the reason why it is missing, or undefined. */
export const needs = {
  postgres: () => (findPostgres() ? undefined : 'initdb is missing; on Debian: apt-get install postgresql'),
  pooler: () => {
    const found = findPooler()
    return 'missing' in found ? found.missing : undefined
  },
  disk: findMissingDisk,
}

/** @param {Parameters<typeof createCluster>[1]} [settings] @param {Parameters<typeof createCluster>[2]} [options] */
export const newCluster = (settings, options) => createCluster(String(findPostgres()), settings, options)

/** @param {string} server @param {Parameters<typeof startPooler>[2]} options */
export function newPooler(server, options) {
  const found = findPooler()
  if ('missing' in found) throw new Error(found.missing)
  return startPooler(found.program, server, options)
}
