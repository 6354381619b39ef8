// npm run failures [-- --times 10 --postgres <project> --sqlite <project>]: checks that the service survives failures
// of its database and its process. Creates and builds projects that are not given. Exit code 1 on any fault.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { createCluster, findPostgres } from '../support/cluster.js'
import { freezeDatabase, killService, restartDatabase } from './failures.js'

// A normal exit also stops the database servers.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const { values } = parseArgs({
  options: {
    times: { type: 'string', default: '10' },
    postgres: { type: 'string' },
    sqlite: { type: 'string' },
  },
})
const times = Number(values.times)
const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')
const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-failures-'))

/** @param {'postgres' | 'sqlite'} database */
function project(database) {
  const given = values[database]
  if (given !== undefined) return given
  const folder = join(scratch, database)
  const answers = ['--mode', 'complete', '--profile', 'B', '--database', database, '--no-git']
  execFileSync(process.execPath, [bin, folder, ...answers], { stdio: 'inherit' })
  execFileSync('npm', ['run', 'build'], { cwd: folder, stdio: 'inherit' })
  return folder
}

/** @typedef {import('./scenario.js').Report} Report */

let isBroken = false
/** @param {string} what @param {Report} report */
function print(what, { counts, faults }) {
  console.log(`\n${what}`)
  for (const [name, value] of Object.entries(counts)) console.log(`  ${name}: ${JSON.stringify(value)}`)
  for (const fault of faults.slice(0, 50)) console.error(`  FAULT ${fault}`)
  console.log(`  faults: ${faults.length}`)
  if (faults.length > 0) isBroken = true
}

try {
  const programs = findPostgres()
  if (programs) {
    const folder = project('postgres')
    /** @type {[string, (cluster: import('../support/cluster.js').Cluster) => Promise<Report>][]} */
    const scenarios = [
      [
        'PostgreSQL restarted, alternating fast and immediate shutdown',
        (cluster) => restartDatabase(folder, cluster, times),
      ],
      ['PostgreSQL frozen', (cluster) => freezeDatabase(folder, cluster, times)],
      ['kill -9 of the service on PostgreSQL', ({ url }) => killService(folder, url, times)],
    ]
    for (const [what, scenario] of scenarios) {
      const cluster = await createCluster(programs)
      print(what, await scenario(cluster))
      cluster.remove()
    }
  } else {
    console.log('PostgreSQL is missing (initdb not found): testing SQLite only')
  }
  const file = `file:${join(scratch, 'data/app.db')}`
  print('kill -9 of the service on SQLite', await killService(project('sqlite'), file, times))
} finally {
  rmSync(scratch, { recursive: true, force: true })
}
process.exitCode = isBroken ? 1 : 0
