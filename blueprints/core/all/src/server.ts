import { readConfig } from './config.ts'
import { start } from './start.ts'

await start(readConfig())
