import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import Fastify from 'fastify'
import { onTestFinished } from 'vitest'
import type { Brand } from '../../src/appearance.ts'
import securityHeaders from '../../src/plugins/security-headers.ts'
import pages from '../../src/routes/pages.ts'
import { testConfig } from './settings.ts'

/** An app that serves the given files as pages. @param at a folder to use instead, without files */
export async function pagesApp(
  files: Record<string, string | Buffer>,
  own: Partial<Brand> = {},
  at?: string,
) {
  const folder = at ?? (await mkdtemp(join(tmpdir(), 'test-pages-')))
  if (!at) onTestFinished(() => rm(folder, { recursive: true }))
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
