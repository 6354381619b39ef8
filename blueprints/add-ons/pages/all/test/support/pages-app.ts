import { mkdir, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import Fastify from 'fastify'
import securityHeaders from '../../src/plugins/security-headers.ts'
import pages from '../../src/routes/pages.ts'
import type { Brand } from '../../src/settings/theme.ts'
import { testConfig } from './settings.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** An app that serves the given files as pages. */
export async function pagesApp(files: Record<string, string | Buffer>, own: Partial<Brand> = {}) {
  const folder = await temporaryFolder()
  for (const [name, content] of Object.entries(files)) {
    await mkdir(dirname(join(folder, name)), { recursive: true })
    await writeFile(join(folder, name), content)
  }
  const app = Fastify()
  app.decorate('config', testConfig({}))
  await app.register(securityHeaders)
  await app.register(pages, { folder, own })
  return app
}
