import { readConfig } from './environment.ts'
import { start } from './start.ts'

await start(readConfig())
