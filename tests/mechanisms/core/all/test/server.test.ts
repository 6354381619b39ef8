import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { getTableName } from 'drizzle-orm'
import { describe, expect, test } from 'vitest'
import { refuseAddress } from '../src/config.ts'
import { probe } from '../src/db/probe.ts'
import { nodeWarning } from '../src/start.ts'
import { loadedFiles, startProcess } from './support/process.ts'
import { testSettings } from './support/settings.ts'
import { canCreate, lockMigrations, newDatabase } from './support/shared-database.ts'
import { startTcpServer } from './support/tcp-server.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const start = (databaseUrl: string, settings = {}) =>
  startProcess({ ...testSettings, DATABASE_URL: databaseUrl, PORT: '0', LOG_LEVEL: 'info', ...settings })

const listening = /listening at (http:[^"]+)/

// A test without a server has no process that could share its database.
describe.skipIf(!canCreate)('a new process', () => {
  test('is live but not ready while it waits for the migrations of another one', async () => {
    const url = await newDatabase()
    const unlock = await lockMigrations(url)
    const service = start(url)
    const [, origin] = await service.logged(listening)
    const statusOf = async (path: string) => (await fetch(origin + path)).status
    expect(await statusOf('/health/live')).toBe(200)
    expect(await statusOf('/health/ready')).toBe(503)
    await unlock()
    await service.logged(/"migrated":[1-9]/)
    expect(await statusOf('/health/ready')).toBe(200)
    expect((await service.stop()).code).toBe(0)
  })

  test('that gets SIGTERM before it has migrated stops, and leaves the database as it was', async () => {
    const url = await newDatabase()
    const unlock = await lockMigrations(url)
    const service = start(url)
    await service.logged(listening)
    const { code, output } = await service.stop()
    expect({ code, output }).toMatchObject({ code: 0, output: expect.not.stringContaining('database ready') })
    await unlock()
    const next = start(url)
    await next.logged(/"migrated":[1-9]/)
    await next.stop()
  })

  test('loads no package that its settings do not need', async () => {
    const files = await loadedFiles(await newDatabase())
    expect(files).toContain('/node_modules/fastify/')
    // Libraries of the API page and emails. Ajv is the compiler of Fastify, which gets that of Zod.
    for (const name of ['@fastify/swagger', '@fastify/swagger-ui', 'ajv', 'nodemailer'])
      expect(files).not.toContain(`/node_modules/${name}/`)
  })

  test('has no page for development, whatever NODE_ENV says', async () => {
    const service = start(await newDatabase(), { NODE_ENV: 'development' })
    const [, origin] = await service.logged(listening)
    await service.logged(/"migrated":[1-9]/)
    for (const path of ['/dev/home.json', '/dev/home.css', '/dev/mailbox', '/dev/mailbox/messages'])
      expect((await fetch(origin + path)).status, path).toBe(404)
    await service.stop()
  })

  test('with SHUTDOWN_DELAY_SECONDS answers after SIGTERM but is not ready, and a second one ends the wait', async () => {
    const service = start(await newDatabase(), { SHUTDOWN_DELAY_SECONDS: '300' })
    const [, origin] = await service.logged(listening)
    await service.logged(/"migrated":[1-9]/)
    const stopped = service.stop()
    await service.logged(/not ready any more/)
    expect((await fetch(`${origin}/health/ready`)).status).toBe(503)
    expect((await fetch(`${origin}/health/live`)).status).toBe(200)
    await service.stop()
    expect((await stopped).code).toBe(0)
  })

  test('whose migration fails ends with the reason and exit code 1', async () => {
    const name = getTableName(probe[0])
    const { code, output } = await start(await newDatabase(`CREATE TABLE ${name} (id int)`)).closed
    expect(output).toMatch(new RegExp(`(relation|table) .*${name}.* already exists`))
    expect(code).toBe(1)
  })

  test('in production warns once of a Node that gets no fixes', async () => {
    const service = start(await newDatabase(), { NODE_ENV: 'production' })
    await service.logged(/"migrated":[1-9]/)
    const { output } = await service.stop()
    const expected = nodeWarning(process.versions.node, Date.now()) === undefined ? 0 : 1
    expect(output.match(/"level":"?(40|warn)[^\n]*no security fixes/g) ?? []).toHaveLength(expected)
  })

  test('whose port is taken says so in one line', async () => {
    const { port } = await startTcpServer()
    const { code, output } = await start(await newDatabase(), { PORT: String(port) }).closed
    expect(output).toBe(
      `Configuration: PORT ${port} is in use: stop the other process, or set another port\n`,
    )
    expect(code).toBe(1)
  })

  test.each([
    ['192.0.2.1', /^Configuration: HOST 192\.0\.2\.1 is not an address of this machine: .+\n$/],
    ['2001:db8::1', /^Configuration: HOST 2001:db8::1 is not an address of this machine: .+\n$/],
    ['no-such-host.invalid', /^Configuration: HOST no-such-host\.invalid is not an address .+\n$/],
    ['300.1.1.1', /^Configuration: HOST 300\.1\.1\.1 is not an address .+\n$/],
  ])('that cannot listen at %s says so in one line', async (host, line) => {
    const { code, output } = await start(await newDatabase(), { HOST: host }).closed
    expect(output).toMatch(line)
    expect(code).toBe(1)
  })

  test('takes its port from a file', async () => {
    const folder = await temporaryFolder()
    const path = join(folder, 'port')
    await writeFile(path, '0\n')
    const service = start(await newDatabase(), { PORT: '', PORT_FILE: path, HOST: '127.0.0.1\n' })
    await service.logged(listening)
    expect((await service.stop()).code).toBe(0)
  })

  test.each([
    [{}, 125],
    [{ KEEP_ALIVE_SECONDS: '600' }, 600],
  ])('with %j keeps idle connections for %d s, longer than proxies do', async (settings, seconds) => {
    const service = start(await newDatabase(), settings)
    const [, origin = ''] = await service.logged(listening)
    const response = await fetch(`${origin}/health/live`)
    expect(response.headers.get('keep-alive')).toBe(`timeout=${seconds}`)
    await service.stop()
  })
})

test.each([
  ['EACCES', 'PORT 80 '],
  ['EADDRINUSE', 'PORT 80 is '],
  ['EAI_AGAIN', 'HOST a '],
  ['EAFNOSUPPORT', 'HOST a '],
])('%s is one line that names the setting', (code, line) => {
  const error = Object.assign(new Error(code), { code })
  expect(() => refuseAddress(error, 'a', 80)).toThrow(new RegExp(`^${line}[ -~]+: [ -~]+$`))
})

const MAY = 4
test.each([
  ['20.20.2', Date.UTC(2026, MAY) - 1, false],
  ['20.20.2', Date.UTC(2026, MAY), true],
  ['25.1.0', Date.UTC(2026, 10), true],
  ['24.0.0', Date.UTC(2028, MAY) - 1, false],
  ['24.0.0', Date.UTC(2028, MAY), true],
  ['26.0.0', Date.UTC(2029, MAY) - 1, false],
  ['27.0.0', Date.UTC(2040, 0), false],
])('Node %s at %d has ended: %s', (version, now, hasEnded) => {
  expect(nodeWarning(version, now) !== undefined).toBe(hasEnded)
})
