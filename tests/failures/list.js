import { clocks } from './scenarios/clocks.js'
import { dumpDuringMigration } from './scenarios/dump.js'
import { failover } from './scenarios/failover.js'
import { fullDiskOfPostgres, fullDiskOfSqlite } from './scenarios/full-disk.js'
import { killedOnPostgres, killedOnSqlite } from './scenarios/killed-service.js'
import { pooled, pooler } from './scenarios/pooler.js'
import { readOnlyReplica } from './scenarios/read-only-replica.js'
import { frozenDatabase, restartedDatabase } from './scenarios/restarted-database.js'
import { rollingDeployment } from './scenarios/rolling-deployment.js'

/** Every scenario, in the order in which they run. */
export const scenarios = [
  restartedDatabase,
  frozenDatabase,
  killedOnPostgres,
  killedOnSqlite,
  pooler,
  pooled(killedOnPostgres),
  failover,
  pooled(failover),
  readOnlyReplica,
  fullDiskOfSqlite,
  fullDiskOfPostgres,
  clocks,
  pooled(clocks),
  rollingDeployment,
  dumpDuringMigration,
]

/** The reason why a scenario cannot run on this machine; undefined if it can. @param {import('./scenario.js').Scenario} scenario */
export const missingFor = ({ needs }) => needs.map((find) => find()).find((reason) => reason !== undefined)
