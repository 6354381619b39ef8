import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createDisk } from '../disk.js'
import { needs, newCluster } from '../needs.js'
import { underLoad } from '../scenario.js'

/**
 * The disk of the SQLite file has no free byte. Writes get 503 and reads are answered. The file stays intact.
 * @type {import('../scenario.js').Scenario}
 */
export const fullDiskOfSqlite = {
  title: 'a full disk under SQLite',
  needs: [needs.disk],
  shortTimes: 1,
  async run({ project, times }) {
    const folder = await project('sqlite')
    const disk = createDisk(32)
    const file = join(disk.folder, 'app.db')
    try {
      const report = await underLoad({
        instances: [{ project: folder }],
        databaseUrl: `file:${file}`,
        times,
        async fail(_number, { watch, clients }) {
          const back = watch.outage('database')
          disk.fill()
          await clients.each('turnedAway', 2)
          disk.free()
          back()
        },
      })
      const SQLite = createRequire(join(folder, 'package.json'))('better-sqlite3')
      const database = new SQLite(file, { readonly: true })
      const integrity = database.pragma('integrity_check', { simple: true })
      database.close()
      if (integrity !== 'ok') report.faults.push(`integrity_check: ${integrity}`)
      return report
    } finally {
      disk.remove()
    }
  },
}

/**
 * The disk of the PostgreSQL server has no free byte. Tables cannot grow, and every second time the write-ahead log
 * cannot either: then the server ends, and has to be started when there is room.
 * @type {import('../scenario.js').Scenario}
 */
export const fullDiskOfPostgres = {
  title: 'a full disk under PostgreSQL',
  needs: [needs.postgres, needs.disk],
  shortTimes: 2,
  async run({ project, times }) {
    const folder = await project('postgres')
    let ends = 0
    const disk = createDisk(192)
    const cluster = await newCluster({}, { parent: disk.folder })
    try {
      const report = await underLoad({
        instances: [{ project: folder }],
        databaseUrl: cluster.url,
        times,
        async fail(number, { watch, clients }) {
          const back = watch.outage('database')
          disk.fill()
          if (number % 2 === 1 && (await fillLog(cluster))) ends += 1
          await clients.each('turnedAway', 2)
          disk.free()
          await cluster.revive()
          back()
        },
      })
      if (times > 1 && ends === 0) report.faults.push('the server never ended: the log had room')
      return report
    } finally {
      cluster.remove()
      disk.remove()
    }
  },
}

/**
 * Writes more into the write-ahead log than the disk can hold.
 * @param {import('../../support/cluster.js').Cluster} cluster
 * @returns {Promise<boolean>} whether the server has ended, and with it this connection
 */
const fillLog = (cluster) =>
  cluster
    .sql(`SELECT pg_logical_emit_message(false, 'filler', repeat('x', 1000000)) FROM generate_series(1, 400)`)
    .then(
      () => false,
      (error) => /server closed the connection/.test(String(error)),
    )
