import { readConfig, refuseToStart } from '../config.ts'
import { migrate } from '../db/migrate.ts'

const applied = await migrate(readConfig().database).catch(refuseToStart)
console.log(applied === 0 ? 'The database is up to date.' : `Applied ${applied} migration(s).`)
