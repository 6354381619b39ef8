import { migrate } from '../db/migrate.ts'
import { readConfig } from '../environment.ts'

const applied = await migrate(readConfig().database)
console.log(applied === 0 ? 'The database is up to date.' : `Applied ${applied} migration(s).`)
