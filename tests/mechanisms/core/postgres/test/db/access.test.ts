import { randomBytes } from 'node:crypto'
import { getTableName } from 'drizzle-orm/table'
import { beforeEach, describe, expect, onTestFinished, test } from 'vitest'
import { openDatabase } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { probe } from '../../src/db/probe.ts'
import { createTestApp } from '../support/app.ts'
import { startProcess } from '../support/process.ts'
import { patient, runOnServer, testServer, withParameter } from '../support/server.ts'
import { testSettings } from '../support/settings.ts'

const table = getTableName(probe[0])
const tables = probe.map((each) => getTableName(each)).join(', ')

/** The account of the service, which is also the name of its database. Roles belong to the whole server. */
let role: string
/** The account that owns the database. */
let owner: string

/** @param name a role; none is the account of the server's URL, which may change everything */
const as = (name: string, database = role) => {
  const url = new URL(testServer as string)
  url.pathname = database
  return withParameter(url.href, 'role', name)
}

/** Runs SQL in the database. */
async function run(statements: string, url = as(owner)): Promise<void> {
  const db = openDatabase({ url, poolSize: 1, ...patient })
  await db.transaction(async (tx) => void (await tx.execute(statements))).finally(() => db.close())
}

async function createDatabase(options = '') {
  await runOnServer(`CREATE DATABASE ${role} OWNER ${owner} TEMPLATE template0 LOCALE 'C' ${options}`)
  onTestFinished(async () => void (await runOnServer(`DROP DATABASE ${role} WITH (FORCE)`)))
}

const grants = () =>
  `GRANT USAGE ON SCHEMA public TO ${role};
   GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role};
   GRANT USAGE ON ALL SEQUENCES IN SCHEMA public TO ${role}`

const start = (url = as(role)) =>
  migrate({ url, poolSize: 1, ...patient }, undefined, undefined, async () => {
    throw new Error('waits')
  })

/** What the start says. */
const refusal = async (url?: string) =>
  start(url).then(
    () => 'started',
    (error: Error) => `${error.name}: ${error.message}`,
  )

beforeEach(async ({ task }) => {
  if (testServer === undefined || task.mode === 'skip') return
  role = `test_${randomBytes(8).toString('hex')}`
  owner = `${role}_owner`
  await runOnServer(`CREATE ROLE ${role}; CREATE ROLE ${owner}`)
  onTestFinished(async () => void (await runOnServer(`DROP ROLE ${role}; DROP ROLE ${owner}`)))
})

describe.skipIf(testServer === undefined)('the start refuses, with one line that says how to fix it,', () => {
  test.each([
    ['a schema without rights', 'REVOKE ALL ON SCHEMA public FROM PUBLIC', ''],
    ['a search_path that leads nowhere', '', 'nope'],
    ['an empty search_path', '', "''"],
  ])('%s', async (_case, statement, path) => {
    await createDatabase()
    if (statement) await run(statement, as('none'))
    const url = path ? withParameter(as(role), 'search_path', path) : as(role)
    const line = `ConfigError: DATABASE_URL: no schema of search_path`
    expect(await refusal(url)).toContain(line)
    expect(await refusal(url)).toContain(`GRANT USAGE, CREATE ON SCHEMA public TO ${role}`)
  })

  test.each(['LATIN1', 'EUC_JP', 'SQL_ASCII'])('a database of the encoding %s', async (encoding) => {
    await createDatabase(`ENCODING '${encoding}'`)
    expect(await refusal(as(owner))).toMatch(
      new RegExp(`^ConfigError: DATABASE_URL: .*${encoding}.*--template=template0 --encoding=UTF8$`),
    )
  })

  test('tables that drizzle-kit push made', async () => {
    await createDatabase()
    await start(as(owner))
    await run('DROP TABLE __drizzle_migrations')
    expect(await refusal(as(owner))).toMatch(
      /^ConfigError: DATABASE_URL: relation "\w+" already exists.*drizzle-kit push.*empty database$/,
    )
  })

  test('no right to create the tables', async () => {
    await createDatabase()
    await run(`GRANT USAGE ON SCHEMA public TO ${role}`, as('none'))
    expect(await refusal()).toMatch(
      /^ConfigError: DATABASE_URL: permission denied for schema public: GRANT CREATE ON schema public /,
    )
  })

  test('no right to read the table of the migrations', async () => {
    await createDatabase()
    await start(as(owner))
    await run(`${grants()}; REVOKE ALL ON __drizzle_migrations FROM ${role}`)
    expect(await refusal()).toMatch(
      /^ConfigError: DATABASE_URL: permission denied for table __drizzle_migrations: GRANT /,
    )
  })

  test('no right to connect', async () => {
    await createDatabase()
    await runOnServer(`REVOKE CONNECT ON DATABASE ${role} FROM PUBLIC; ALTER ROLE ${role} LOGIN PASSWORD 'x'`)
    const url = new URL(testServer as string)
    Object.assign(url, { username: role, password: 'x', pathname: role })
    const line = `Grant it: GRANT CONNECT ON DATABASE ${role} TO ${role}`
    expect(await refusal(url.href)).toContain(line)
  })

  /** What is missing, and what the line has for each of it. Each line has the statement that fixes it. */
  const missing: [string, string, RegExp][] = [
    ['a right to a table', `REVOKE INSERT, DELETE ON ${table} FROM role`, /^GRANT INSERT, DELETE ON \S+ TO /],
    [
      'a right to a sequence',
      'REVOKE ALL ON ALL SEQUENCES IN SCHEMA public FROM role',
      /^GRANT USAGE ON SEQ/,
    ],
    ['a policy', `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`, /^CREATE POLICY /],
    [
      'a policy for this account',
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY; CREATE POLICY other ON ${table} TO pg_monitor USING (true)`,
      /^CREATE POLICY /,
    ],
    [
      'a policy that allows more than reads',
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY; CREATE POLICY reads ON ${table} FOR SELECT USING (true)`,
      /^CREATE POLICY /,
    ],
    [
      'a policy that is not only a restriction',
      `ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY;
       CREATE POLICY less ON ${table} AS RESTRICTIVE USING (true)`,
      /^CREATE POLICY /,
    ],
  ]

  test.each(missing)('%s, and is ready again after that statement', async (_case, statement, fix) => {
    await createDatabase()
    await start(as(owner))
    await run(grants())
    const db = openDatabase({ url: as(role), poolSize: 2, ...patient })
    onTestFinished(() => db.close())
    const lines: string[] = []
    const stream = { write: (line: string) => void lines.push(line) }
    const app = await createTestApp({}, { level: 'error', stream }, { db })
    const ready = async () => (await app.inject('/health/ready')).statusCode
    expect(await ready()).toBe(200)
    await run(statement.replace('role', role))
    expect(await ready()).toBe(503)
    const said = await refusal()
    expect(said).toMatch(/^ConfigError: DATABASE_URL: [^\n]+$/)
    expect(lines.join('')).toContain(JSON.stringify(said.slice('ConfigError: '.length)).slice(1, -1))
    const fixes = said.split(/: (?=GRANT|CREATE POLICY)/)[1] ?? said
    expect(fixes).toMatch(fix)
    await run(fixes)
    expect(await refusal()).toBe('started')
    expect(await ready()).toBe(200)
  })

  test('row level security that is forced on the owner', async () => {
    await createDatabase()
    await start(as(owner))
    await run(`ALTER TABLE ${table} ENABLE ROW LEVEL SECURITY`)
    expect(await refusal(as(owner))).toBe('started')
    await run(`ALTER TABLE ${table} FORCE ROW LEVEL SECURITY`)
    expect(await refusal(as(owner))).toContain(`CREATE POLICY service ON ${table} TO ${owner} USING (true)`)
  })

  test('a table that is missing', async () => {
    await createDatabase()
    await start(as(owner))
    await run(`DROP TABLE ${table} CASCADE`)
    expect(await refusal(as(owner))).toContain(`the table ${table} is missing`)
  })

  test('in a process of its own, which ends', async () => {
    await createDatabase()
    const url = withParameter(as(owner), 'search_path', 'nope')
    const settings = { ...testSettings, DATABASE_URL: url, PORT: '0', LOG_LEVEL: 'fatal' }
    const { code, output } = await startProcess(settings).closed
    expect(output).toMatch(/^Configuration: DATABASE_URL: no schema [^\n]+\n$/)
    expect(code).toBe(1)
  })
})

test.skipIf(testServer === undefined)('a policy for all rows is enough, and no row is written', async () => {
  await createDatabase()
  await start(as(owner))
  await run(grants())
  for (const name of tables.split(', '))
    await run(
      `ALTER TABLE ${name} ENABLE ROW LEVEL SECURITY; CREATE POLICY all_rows ON ${name} TO ${role} USING (true)`,
    )
  expect(await refusal()).toBe('started')
})

test.skipIf(testServer === undefined).each([
  ['a right', `REVOKE SELECT ON ${table} FROM role`],
  ['the schema', 'REVOKE USAGE ON SCHEMA public FROM role, PUBLIC'],
  ['a table', `DROP TABLE ${table} CASCADE`],
])('a request that finds %s gone gets 503', async (_case, statement) => {
  await createDatabase()
  await start(as(owner))
  await run(grants())
  const db = openDatabase({ url: as(role), poolSize: 2, ...patient })
  onTestFinished(() => db.close())
  const app = await createTestApp({}, false, { db })
  app.get('/rows', () => db.read.select().from(probe[0]))
  expect((await app.inject('/rows')).statusCode).toBe(200)
  await run(statement.replace('role', role), as('none'))
  const answer = await app.inject('/rows')
  expect(answer.statusCode).toBe(503)
  expect(answer.headers['retry-after']).toBe('1')
  expect((await app.inject('/health/ready')).statusCode).toBe(503)
})
