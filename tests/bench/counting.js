import { createCluster, findPostgres } from '../support/cluster.js'

/**
 * A PostgreSQL server of its own that counts what it executes. Undefined if its programs are not installed.
 */
export async function countingCluster() {
  const programs = findPostgres()
  if (!programs) {
    console.log('PostgreSQL is not measured: initdb not found.')
    return undefined
  }
  const cluster = await createCluster(programs, { shared_preload_libraries: 'pg_stat_statements' })
  await cluster.sql('CREATE EXTENSION pg_stat_statements')
  return {
    url: cluster.url,
    remove: cluster.remove,
    /** What it has executed so far: statements, and milliseconds. */
    async executed() {
      const sums = 'SELECT sum(calls), sum(total_exec_time) FROM pg_stat_statements'
      const row = await cluster.sql(`${sums} WHERE query NOT LIKE '%pg_stat_statements%'`)
      const [queries = 0, ms = 0] = row.split('|').map(Number)
      return { queries, ms }
    },
  }
}
