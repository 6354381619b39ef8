import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'
import { type Pooler, startPooler as start } from '../../support/pooler.js'

/** Starts PgBouncer in front of the test server. @param size server connections that all clients of a database share */
export async function startPooler(size: number): Promise<Pooler> {
  const [pooler, server] = [inject('pooler'), inject('postgres')]
  if ('missing' in pooler) throw new Error(pooler.missing)
  if ('missing' in server) throw new Error(server.missing)
  return start(pooler.program, server.url, { folder: mkdtempSync(join(inject('scratch'), 'pooler-')), size })
}
