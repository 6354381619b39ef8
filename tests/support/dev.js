import { createRequire } from 'node:module'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'

/**
 * The arguments of node that start the service of the script dev, with its home page and mailbox, without watching files.
 * @param {string} project a folder with its packages
 */
export function devScript(project) {
  const { resolve } = createRequire(join(project, 'package.json'))
  // Autoload imports TypeScript only if it finds tsx among the modules of --require.
  const tsx = ['--require', resolve('tsx/cjs'), '--import', pathToFileURL(resolve('tsx')).href]
  return [...tsx, join(project, 'dev/server.ts')]
}
