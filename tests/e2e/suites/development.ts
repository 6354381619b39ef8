import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Report } from '../../support/create-project.ts'
import { freePort } from '../../support/port.js'
import { newDatabase } from '../harness/database.ts'
import { startService } from '../harness/service.ts'

const ROUTE = `export default async (app) => {
  app.get('/fresh', async () => ({}))
}
`

/** The script dev, of one variant. The others also log mails, and name other pages. */
export function developmentSuite(project: () => Report): void {
  test('npm run dev prints URLs, serves a new route file and logs one line per request', async () => {
    const { directory: cwd } = project()
    const port = String(await freePort())
    const env = { ...(await newDatabase(project())).env, PORT: port, NODE_ENV: '' }
    const service = await startService({ cwd, env, command: ['npm', 'run', 'dev'] })
    const file = join(cwd, 'src/routes/api/v1/fresh.ts')
    try {
      const { running } = service
      await running.until(new RegExp(`Home page: http://localhost:${port}/\\n`))
      expect((await service.get('/')).headers.get('content-type')).toMatch(/^text\/html/)

      writeFileSync(file, ROUTE)
      // The second start.
      await running.until(/database ready[\s\S]*database ready/)
      expect((await service.get('/api/v1/fresh')).status).toBe(200)
      await running.until(/INFO\S*: \S*GET \/api\/v1\/fresh 200 \d+ ms/)
    } finally {
      await service.stop()
      rmSync(file, { force: true })
    }
  })
}
