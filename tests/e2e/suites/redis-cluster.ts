import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { type Running, start, succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { freePort } from '../../support/port.js'
import { newDatabase } from '../harness/database.ts'

/** A test that hangs fails after this time. */
const LIMIT_MS = 300_000

const REFUSED = 'REDIS_URL must be a single Redis server, not a Redis Cluster'

/** A service with a server of a Redis Cluster, which counts only its share of the addresses. */
export function redisClusterSuite(project: () => Report): void {
  describe('with a real Redis Cluster', () => {
    const missing = findMissing()
    if (missing) return test('of three servers', (context) => context.skip(missing))

    test('the service does not start, and one that runs already says so', { timeout: LIMIT_MS }, async () => {
      const ports = [await freePort(), await freePort(), await freePort()]
      const { directory: cwd } = project()
      const database = await newDatabase(project())
      const startService = (port: number) => {
        const env = { ...database.env, PORT: '0', REDIS_URL: `redis://127.0.0.1:${port}` }
        return ended(start('node', ['dist/server.js'], { cwd, env }))
      }
      const early = startService(Number(ports[0]))
      await early.until(/"event":"redis\.down"/)
      await startCluster(ports)
      await early.until(/"event":"redis\.cluster"/)
      expect(early.output()).toContain(`${REFUSED}. Each instance counts addresses separately`)

      for (const port of ports) {
        const service = startService(port)
        const isUp = service.until(/listening at/).then(
          () => true,
          () => false,
        )
        expect(await isUp, `starts with the server at port ${port}`).toBe(false)
        const { code, stdout, stderr } = await service.ended
        expect(code).toBe(1)
        expect(stdout + stderr).toContain(REFUSED)
      }
    })
  })
}

/** Why no cluster can be started here; undefined if it can. */
function findMissing(): string | undefined {
  try {
    for (const program of ['redis-server', 'redis-cli'])
      execFileSync(program, ['--version'], { stdio: 'pipe' })
    return undefined
  } catch {
    return 'redis-server is missing; on Debian: apt-get install redis-server'
  }
}

/** Starts three servers without replicas. Resolves when they are one cluster. */
async function startCluster(ports: readonly number[]): Promise<void> {
  const servers: Running[] = []
  for (const port of ports) {
    const cwd = mkdtempSync(join(inject('scratch'), 'redis-'))
    const settings = { port, 'cluster-port': await freePort(), 'cluster-enabled': 'yes', bind: '127.0.0.1' }
    const flags = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
    servers.push(ended(start('redis-server', [...flags, '--save', '', '--dir', cwd], { cwd })))
  }
  await Promise.all(servers.map((server) => server.until(/Ready to accept connections/)))
  const addresses = ports.map((port) => `127.0.0.1:${port}`)
  await succeed('redis-cli', ['--cluster', 'create', ...addresses, '--cluster-yes'], { cwd: '/' })
}

/** Ends it with the test. */
function ended(running: Running): Running {
  onTestFinished(() => {
    running.signal('SIGKILL')
    return running.ended.then(() => {})
  })
  return running
}
