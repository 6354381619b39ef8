import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

let pglite: Promise<unknown> | undefined

/**
 * PostgreSQL in memory, in this process. Shared, because it takes seconds to start.
 * @param modules a folder whose node_modules holds PGlite
 */
export function openPglite<Server>(modules: string): Promise<Server> {
  const entry = createRequire(join(modules, 'package.json')).resolve('@electric-sql/pglite')
  pglite ??= import(pathToFileURL(entry).href).then(({ PGlite }) => PGlite.create())
  return pglite as Promise<Server>
}
