import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { connect } from '../../src/db/database.ts'
import { migrate } from '../../src/db/migrate.ts'
import { checkClient } from '../../src/db/session.ts'
import { newSchema, testServer, withParameter } from '../support/server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

let settings: Parameters<typeof migrate>[0]

/** Writes a folder like `drizzle-kit generate`. @param migrations SQL statements by timestamp; @param end of each line */
async function migrationsFolder(migrations: Record<number, string[]>, end = '\n'): Promise<string> {
  const folder = await temporaryFolder()
  const entries = Object.keys(migrations).map((when, idx) => ({
    idx,
    version: '7',
    when: Number(when),
    tag: `${idx}_${when}`,
    breakpoints: true,
  }))
  await mkdir(join(folder, 'meta'))
  await writeFile(
    join(folder, 'meta/_journal.json'),
    JSON.stringify({ version: '7', dialect: 'postgresql', entries }),
  )
  for (const { tag, when } of entries) {
    const sql = (migrations[when] ?? []).join('\n--> statement-breakpoint\n')
    await writeFile(join(folder, `${tag}.sql`), sql.replaceAll('\n', end))
  }
  return folder
}

/** Runs one query on a separate connection. @returns the first column */
async function query(text: string): Promise<unknown[]> {
  const connection = await connect(settings)
  try {
    const { rows } = await connection.query<unknown[]>({ text, rowMode: 'array' })
    return rows.map(([value]) => value)
  } finally {
    await connection.end()
  }
}

const tables = () =>
  query(
    `SELECT tablename FROM pg_tables WHERE schemaname = current_schema() AND tablename NOT LIKE '\\_\\_%' ORDER BY 1`,
  )

const nodeArguments = ['--import', 'tsx', '--input-type=module', '--eval']
const cwd = fileURLToPath(new URL('../..', import.meta.url))

/** Prints `ready`, migrates when it receives input, and prints how many migrations it applied. */
const migratingProcess = `
  import { migrate } from './src/db/migrate.ts'
  const [, url, folder] = process.argv
  process.stdin.once('data', async () => {
    console.log(await migrate({ url, poolSize: 1, connectTimeoutMs: 300_000, statementTimeoutMs: 300_000 }, folder))
    process.exit()
  })
  console.log('ready')
`

describe.skipIf(testServer === undefined)('on a server', () => {
  beforeEach(async () => {
    const schema = await newSchema()
    onTestFinished(schema.remove)
    settings = { url: schema.url, poolSize: 1, connectTimeoutMs: 300_000, statementTimeoutMs: 300_000 }
  })

  test('a second run applies nothing, and needs no right to write', async () => {
    expect(await migrate(settings)).toBeGreaterThan(0)
    const url = withParameter(settings.url, 'default_transaction_read_only', 'on')
    expect(await migrate({ ...settings, url })).toBe(0)
  })

  test('tables of an update that was taken back and made again are not created again, but other SQL runs again', async () => {
    const table =
      '-- Not run again if the update of create-authsmith is taken back and made again.\nCREATE TABLE a (id INTEGER)'
    const row = 'INSERT INTO a VALUES (1)'
    await migrate(settings, await migrationsFolder({ 1: ['SELECT 1'], 2: [table], 3: [row] }))
    const again = await migrationsFolder({ 1: ['SELECT 1'], 4: [table], 5: [row], 6: [row] })
    expect(await migrate(settings, again)).toBe(2)
    expect(await query('SELECT count(*)::int FROM a')).toEqual([3])
    expect(await migrate(settings, again)).toBe(0)
    expect(await query('SELECT created_at FROM __drizzle_migrations ORDER BY 1')).toEqual(
      [1, 3, 4, 5, 6].map(String),
    )
  })

  test.each([
    { ran: '\n', found: '\r\n' },
    { ran: '\r\n', found: '\n' },
  ])(
    'line ends of another checkout make no other migration: ran $ran, found $found',
    async ({ ran, found }) => {
      const update = [
        '-- Not run again if the update of create-authsmith is taken back and made again.\nCREATE TABLE a (id INTEGER);',
        'CREATE TABLE b (id INTEGER);\n',
      ]
      await migrate(settings, await migrationsFolder({ 1: ['SELECT 1;\n'], 2: update }, ran))
      expect(await migrate(settings, await migrationsFolder({ 1: ['SELECT 1;\n'], 3: update }, found))).toBe(
        0,
      )
      expect(await query('SELECT created_at FROM __drizzle_migrations ORDER BY 1')).toEqual(['1', '3'])
      const moved = await migrationsFolder({ 4: ['SELECT 1;\n'], 5: update, 6: ['DROP TABLE c'] }, found)
      await expect(migrate(settings, moved)).rejects.not.toThrow('migrations/ does not have')
    },
  )

  test('a migration that fails after an update was taken back says how to go on', async () => {
    const folder = { 1: ['CREATE TABLE a (id INTEGER)'] }
    await migrate(settings, await migrationsFolder({ ...folder, 2: ['CREATE TABLE b (id INTEGER)'] }))
    const another = await migrationsFolder({ ...folder, 3: ['CREATE TABLE b (name TEXT)'] })
    await expect(migrate(settings, another)).rejects.toThrow(
      /"b" already exists\. The database has run migrations that migrations\/ does not have \(1\)\. If an update was taken back, repeat it or restore a backup from before it\.$/,
    )
    const wrong = await migrationsFolder({
      ...folder,
      2: ['CREATE TABLE b (id INTEGER)'],
      4: ['DROP TABLE c'],
    })
    await expect(migrate(settings, wrong)).rejects.toThrow(/"c" does not exist$/)
  })

  test('if 8 processes start together on an empty database, each migration is applied once', async () => {
    const folder = await migrationsFolder({ 1: ['CREATE TABLE a (id int)'], 2: ['CREATE TABLE b (id int)'] })
    const processes = Array.from({ length: 8 }, () => {
      const child = spawn(process.execPath, [...nodeArguments, migratingProcess, settings.url, folder], {
        cwd,
      })
      let output = ''
      child.stdout.on('data', (text) => {
        output += text
      })
      const ready = once(child.stdout, 'data')
      return { ready, go: () => child.stdin.write('go'), output: once(child, 'close').then(() => output) }
    })
    await Promise.all(processes.map(({ ready }) => ready))
    for (const { go } of processes) go()
    const outputs = await Promise.all(processes.map(({ output }) => output))
    const counts = outputs.map((output) => Number(/^ready\n(\d)\n$/.exec(output)?.[1]))
    expect(counts.reduce((sum, count) => sum + count)).toBe(2)
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('while a backup holds a lock that a migration needs, requests are answered', async () => {
    await migrate(settings, await migrationsFolder({ 1: ['CREATE TABLE a (id int)'] }))
    const backup = await connect(settings)
    onTestFinished(() => backup.end())
    await backup.query('BEGIN; LOCK TABLE a IN ACCESS SHARE MODE')
    const answers: unknown[][] = []
    const folder = await migrationsFolder({
      1: ['CREATE TABLE a (id int)'],
      2: ['CREATE TABLE b (id int)', 'ALTER TABLE a ADD COLUMN name text'],
    })
    const count = await migrate(settings, folder, undefined, async () => {
      answers.push(await query('SELECT count(*)::int FROM a'))
      if (answers.length === 2) await backup.query('COMMIT')
    })
    expect(count).toBe(1)
    expect(answers).toEqual([[0], [0]])
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('a migration whose lock is never free fails with the reason', async () => {
    const backup = await connect(settings)
    onTestFinished(() => backup.end())
    await backup.query('CREATE TABLE a (id int)')
    await backup.query('BEGIN; LOCK TABLE a IN ACCESS SHARE MODE')
    const folder = await migrationsFolder({ 1: ['SET LOCAL lock_timeout TO 1', 'DROP TABLE a'] })
    await expect(migrate(settings, folder, undefined, async () => {})).rejects.toThrow(
      'backup or a long transaction',
    )
  })

  test('a process that waits for another one says so, and gives up after half an hour', async () => {
    const other = await connect(settings)
    const said = vi.spyOn(console, 'error').mockReturnValue()
    vi.useFakeTimers({ toFake: ['Date'] })
    onTestFinished(async () => {
      vi.useRealTimers()
      said.mockRestore()
      await other.end()
    })
    await other.query(
      "BEGIN; SELECT pg_advisory_xact_lock(hashtext('__drizzle_migrations'), hashtext(current_schema()))",
    )
    let waits = 0
    const pause = async () => {
      waits += 1
      vi.setSystemTime(Date.now() + 10 * 60_000)
    }
    const waiting = migrate(settings, await migrationsFolder({ 1: ['SELECT 1'] }), undefined, pause)
    await expect(waiting).rejects.toThrow(/^Another process still migrates: /)
    expect(waits).toBe(4)
    expect(said.mock.calls).toEqual([['Migrations: waiting for another process that migrates']])
  })

  test('a start that finds the table of migrations locked says so, and goes on when it is free', async () => {
    const folder = await migrationsFolder({ 1: ['SELECT 1'] })
    await migrate(settings, folder)
    const other = await connect(settings)
    const said = vi.spyOn(console, 'error').mockReturnValue()
    onTestFinished(async () => {
      said.mockRestore()
      await other.end()
    })
    await other.query('BEGIN; LOCK TABLE __drizzle_migrations')
    let waits = 0
    const pause = async () => {
      waits += 1
      if (waits === 2) await other.query('COMMIT')
    }
    expect(await migrate(settings, folder, undefined, pause)).toBe(0)
    expect(said.mock.calls).toEqual([['Migrations: waiting for a backup or a long transaction']])
  })

  test.each(['repeatable read', 'serializable'])(
    'a process that waits for another one sees what it applied, even if the default is %s',
    async (isolation) => {
      const folder = await migrationsFolder({ 1: ['CREATE TABLE a (id int)'] })
      const url = withParameter(settings.url, 'default_transaction_isolation', isolation)
      const counts = await Promise.all([1, 2, 3, 4].map(() => migrate({ ...settings, url }, folder)))
      expect(counts.toSorted()).toEqual([0, 0, 0, 1])
    },
  )

  // Behind a pooler, the processes that wait would take all connections from the one that migrates.
  test('a process that waits for another one has no open transaction', async () => {
    const other = await connect(settings)
    onTestFinished(() => other.end())
    const lock = "pg_advisory_xact_lock(hashtext('__drizzle_migrations'), hashtext(current_schema()))"
    await other.query(`BEGIN; SELECT ${lock}`)
    const { rows } = await other.query('SELECT pg_backend_pid() AS pid')
    const waiting: unknown[] = []
    const folder = await migrationsFolder({ 1: ['CREATE TABLE a (id int)'] })
    const count = await migrate(settings, folder, undefined, async () => {
      waiting.push(
        ...(await query(
          `SELECT state FROM pg_stat_activity WHERE application_name = current_schema() AND pid NOT IN (${rows[0].pid}, pg_backend_pid())`,
        )),
      )
      await other.query('COMMIT')
    })
    expect(count).toBe(1)
    expect(new Set(waiting)).toEqual(new Set(['idle']))
  })

  describe('CREATE INDEX CONCURRENTLY', () => {
    const people = ['CREATE TABLE people (name text)']
    /** As Drizzle Kit writes it, after the comment of `generate --custom`. */
    const index =
      '-- Custom SQL\nCREATE UNIQUE INDEX CONCURRENTLY "people_name" ON "people" USING btree ("name");'
    const indexes = () =>
      query(`SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('people_name')`)

    test('runs outside a transaction, so that others can write meanwhile', async () => {
      await migrate(settings, await migrationsFolder({ 1: people }))
      const writer = await connect(settings)
      onTestFinished(() => writer.end())
      // The build of the index waits for this transaction.
      await writer.query(`BEGIN; INSERT INTO people VALUES ('Ada')`)
      const migrating = migrate(settings, await migrationsFolder({ 1: people, 2: [index] }))
      const waiting = `SELECT 1 FROM pg_locks WHERE NOT granted AND pid IN
        (SELECT pid FROM pg_locks WHERE relation = 'people'::regclass AND mode = 'ShareUpdateExclusiveLock')`
      await expect.poll(() => query(waiting), { timeout: 500_000 }).toEqual([1])
      await query(`SET lock_timeout = 1; INSERT INTO people VALUES ('Grace')`).catch((error) => error)
      await writer.query('COMMIT')
      expect(await migrating).toBe(1)
      expect(await indexes()).toEqual([true])
      expect(await query('SELECT name FROM people ORDER BY 1')).toEqual(['Ada', 'Grace'])
    })

    // It waits for all older statements: those of processes that wait for it would never end.
    test('does not wait for other processes that start', async () => {
      const folder = await migrationsFolder({ 1: people, 2: [index] })
      const counts = await Promise.all([1, 2, 3, 4].map(() => migrate(settings, folder)))
      expect(counts.reduce((sum, count) => sum + count)).toBe(2)
      expect(await indexes()).toEqual([true])
    })

    test('that was interrupted is repeated, and an incomplete index is built again', async () => {
      const folder = await migrationsFolder({
        1: [...people, `INSERT INTO people VALUES ('Ada'), ('Ada')`],
        2: [index],
      })
      await expect(migrate(settings, folder)).rejects.toThrow('could not create unique index')
      expect(await indexes()).toEqual([false])
      await query(`DELETE FROM people`)
      expect(await migrate(settings, folder)).toBe(1)
      expect(await indexes()).toEqual([true])
      // The process was killed before it could record what it had done.
      await query('DELETE FROM __drizzle_migrations WHERE created_at = 2')
      expect(await migrate(settings, folder)).toBe(1)
      const dropped = await migrationsFolder({ 3: ['DROP INDEX CONCURRENTLY people_name'] })
      expect(await migrate(settings, dropped)).toBe(1)
      await query('DELETE FROM __drizzle_migrations WHERE created_at = 3')
      expect(await migrate(settings, dropped)).toBe(1)
      expect(await indexes()).toEqual([])
    })

    test('needs a migration of its own', async () => {
      const folder = await migrationsFolder({ 1: [...people, index] })
      await expect(migrate(settings, folder)).rejects.toThrow('Write a migration of its own for this')
      expect(await tables()).toEqual([])
    })
  })

  describe('a statement for all ids', () => {
    const people = [
      'CREATE TABLE people (id bigint PRIMARY KEY, visits int NOT NULL)',
      'INSERT INTO people SELECT n * 2, 0 FROM generate_series(1, 12000) n',
    ]
    const visit =
      '-- Why\nUPDATE people SET visits = 1 WHERE id BETWEEN 0 AND 9223372036854775807 AND (visits = 0);'
    const visited = () => query('SELECT count(*)::int FROM people WHERE visits > 0')

    test('changes some rows at a time, and others wait for no more than these', async () => {
      await migrate(settings, await migrationsFolder({ 1: people }))
      const writer = await connect(settings)
      onTestFinished(() => writer.end())
      // The second statement waits for this transaction.
      await writer.query('BEGIN; SELECT 1 FROM people WHERE id = 20000 FOR UPDATE')
      const migrating = migrate(settings, await migrationsFolder({ 1: people, 2: [visit] }))
      await expect.poll(visited, { timeout: 500_000 }).toEqual([5_000])
      await query('UPDATE people SET visits = 2 WHERE id = 2')
      await writer.query('COMMIT')
      expect(await migrating).toBe(1)
      expect(await query('SELECT visits FROM people GROUP BY 1 ORDER BY 1')).toEqual([1, 2])
    })

    test('that was interrupted runs again', async () => {
      const folder = await migrationsFolder({
        1: [...people, 'ALTER TABLE people ADD CONSTRAINT stop CHECK (id <> 20000 OR visits = 0)'],
        2: [visit.replace('UPDATE people', 'update "people"')],
      })
      await expect(migrate(settings, folder)).rejects.toThrow('"stop"')
      expect(await visited()).toEqual([5_000])
      await query('ALTER TABLE people DROP CONSTRAINT stop')
      expect(await migrate(settings, folder)).toBe(1)
      expect(await visited()).toEqual([12_000])
    })
  })

  test('a process that is killed while it migrates leaves that migration undone', async () => {
    // A unique name, because other tests may use the server at the same time.
    const name = `migrating_${randomUUID().replaceAll('-', '')}`
    const statement = `SELECT pg_sleep(500) AS ${name}`
    const folder = await migrationsFolder({
      1: ['CREATE TABLE a (id int)'],
      2: ['CREATE TABLE b (id int)', statement],
    })
    const child = spawn(process.execPath, [...nodeArguments, migratingProcess, settings.url, folder], { cwd })
    await once(child.stdout, 'data')
    child.stdin.write('go')
    const sleeping = `SELECT pid FROM pg_stat_activity WHERE query ~ '${name}$'`
    await expect.poll(() => query(sleeping), { timeout: 500_000 }).toHaveLength(1)
    child.kill('SIGKILL')
    await once(child, 'close')
    const fixed = await migrationsFolder({ 1: ['CREATE TABLE a (id int)'], 2: ['CREATE TABLE b (id int)'] })
    expect(await tables()).toEqual(['a'])
    expect(await migrate(settings, fixed)).toBe(1)
    expect(await tables()).toEqual(['a', 'b'])
  })

  // PostgreSQL 13 would write it into its log ten times a second, while another process migrates.
  test('a server without the setting that notices a killed process reports no error', async () => {
    const connection = await connect(settings)
    onTestFinished(() => connection.end())
    const known = checkClient({ isLocal: true })
    expect((await connection.query(known)).rows).toEqual([{ set_config: '1s' }])
    const unknown = known.replace('client_connection_check_interval', 'not_a_setting')
    expect((await connection.query(unknown)).rows).toEqual([])
  })

  test('a failed migration is undone, and those before it are kept', async () => {
    await migrate(settings, await migrationsFolder({ 1: ['CREATE TABLE a (id int)'] }))
    const broken = await migrationsFolder({
      1: ['CREATE TABLE a (id int)'],
      2: ['CREATE TABLE b (id int)'],
      3: ['CREATE TABLE c (id int)', 'INSERT INTO nowhere VALUES (1)'],
    })
    await expect(migrate(settings, broken)).rejects.toThrow('relation "nowhere" does not exist')
    expect(await tables()).toEqual(['a', 'b'])
  })

  test('a migration that is merged late, with an older timestamp, is applied too', async () => {
    await migrate(
      settings,
      await migrationsFolder({ 1: ['CREATE TABLE a (id int)'], 3: ['CREATE TABLE c (id int)'] }),
    )
    const merged = await migrationsFolder({
      1: ['CREATE TABLE a (id int)'],
      2: ['CREATE TABLE b (id int)'],
      3: ['CREATE TABLE c (id int)'],
    })
    expect(await migrate(settings, merged)).toBe(1)
    expect(await tables()).toEqual(['a', 'b', 'c'])
  })

  test('a foreign key refers to the table in the same schema', async () => {
    const folder = await migrationsFolder({
      1: [
        'CREATE TABLE authors (id int PRIMARY KEY)',
        'CREATE TABLE books (author int)',
        'ALTER TABLE books ADD CONSTRAINT fk FOREIGN KEY (author) REFERENCES "public"."authors"(id)',
      ],
    })
    await migrate(settings, folder)
    expect(
      await query(
        `SELECT confrelid::regclass::text FROM pg_constraint WHERE conname = 'fk' AND connamespace = current_schema()::regnamespace`,
      ),
    ).toEqual(['authors'])
  })
})
