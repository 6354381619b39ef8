import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { exportFormats, lineOf } from '../../src/import/formats.ts'
import { recordsOf } from '../../src/import/records.ts'
import { createTestApp, type TestApp } from '../support/app.ts'
import { runCommand } from '../support/commands.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

// Each run tries the same cases: no change of something else fails by chance. LAW_RUNS=1000 LAW_SEED=7 tries more, and others.
const { LAW_RUNS = '100', LAW_SEED = '1' } = process.env
const options = (share = 1) => ({ numRuns: Math.ceil(Number(LAW_RUNS) * share), seed: Number(LAW_SEED) })

/** What a run said: its counts, and whether it named one of these lines. */
async function report(app: TestApp, file: string, ...args: string[]) {
  const text: string = await runCommand(app, 'import', file, ...args).catch((error) => {
    if (error.exitCode !== 1) throw error
    return error.message
  })
  const [, created, existed, refused = '0'] =
    /(\d+) users\. (\d+) existed already\.(?: Refused (\d+))?/.exec(text) ?? []
  const spans = Array.from(text.matchAll(/^Lines? (\d+)(?: to (\d+))?: /gm), ([, from, to = from]) =>
    [from, to].map(Number),
  )
  const isNamed = (first: number, last = first) =>
    spans.some(([from = 0, to = 0]) => from <= last && to >= first)
  expect(text).not.toMatch(/[^\P{C}\n]/u)
  const isEscaped = text.includes("MySQL's backslash escapes")
  return { created: Number(created), existed: Number(existed), refused: Number(refused), isEscaped, isNamed }
}

const nasty = fc.string({
  unit: fc.constantFrom(
    '"',
    '""',
    ',',
    ';',
    '\t',
    '\r',
    '\n',
    '\\',
    '\\"',
    'a',
    '@',
    '7',
    ' ',
    'é',
    'NULL',
    '\u0000',
  ),
  maxLength: 12,
})

/** A row of wp_users. What is done to its line: nothing, or what hand-written exports do. */
const row = fc.record({
  name: nasty,
  login: fc.oneof({ weight: 3, arbitrary: fc.constant('') }, nasty),
  harm: fc.constantFrom('none', 'none', 'none', 'bare', 'extra', 'missing', 'open'),
})

const quoted = (text: string) => `"${text.replaceAll('"', '""')}"`

const hash = '$2b$12$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW'

/** The file, and the lines of each row. */
function toCsv(rows: { name: string; login: string; harm: string }[], tag: string) {
  let [text, line] = ['ID,user_login,user_pass,user_email,user_registered,display_name\n', 2]
  const lines = rows.map(({ name, login, harm }, at) => {
    const id = `${tag}x${at}`
    const last =
      { bare: name.replaceAll('\n', ''), open: `"${name.replaceAll(/["\n]/g, '')}`, none: quoted(name) }[
        harm
      ] ?? quoted(name)
    const fields = [`${at + 1}`, quoted(login || id), hash, `${id}@example.com`, '2020-01-01 12:00:00', last]
    if (harm === 'extra') fields.push('more')
    if (harm === 'missing') fields.splice(4, 1)
    const written = `${fields.join(',')}\n`
    const first = line
    line += written.split('\n').length - 1
    text += written
    return [first, line - 1] as const
  })
  return { text, lines }
}

test('no row of a CSV file is lost without being named', { timeout: 3_600_000 }, async () => {
  const app = await createTestApp()
  const file = join(await temporaryFolder(), 'users.csv')
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
      const { text, lines } = toCsv(rows, 'dry')
      await writeFile(file, text)
      const args = ['--format', 'wordpress', '--dry-run']
      const { created, existed, refused, isEscaped, isNamed } = await report(app, file, ...args)
      const unnamed = lines.filter(([first, last]) => !isNamed(first, last)).length
      expect(created).toBe(unnamed)
      // Read with the other escapes, the same text can have another number of records.
      const isWhole = ({ harm }: { harm: string }) => ['none', 'extra', 'missing'].includes(harm)
      if (!isEscaped && rows.every(isWhole)) expect(created + existed + refused).toBe(rows.length)
    }),
    options(),
  )
})

test('a run creates whom a dry run announces, and a second run finds them', {
  timeout: 3_600_000,
}, async () => {
  const app = await createTestApp()
  const file = join(await temporaryFolder(), 'users.csv')
  let [run, all] = [0, 0]
  await fc.assert(
    fc.asyncProperty(fc.array(row, { minLength: 1, maxLength: 8 }), async (rows) => {
      run += 1
      const { text } = toCsv(rows, `run${run}`)
      // Ids are those of another file, too.
      await writeFile(
        file,
        text.replaceAll(/^\d+,/gm, (id) => `${run}00${id}`),
      )
      const args = ['--format', 'wordpress']
      const dry = await report(app, file, ...args, '--dry-run')
      const first = await report(app, file, ...args)
      const second = await report(app, file, ...args)
      all += first.created
      expect({ ...first, isNamed: 0 }).toEqual({ ...dry, isNamed: 0 })
      expect(await app.db.read.$count(users)).toBe(all)
      expect([second.created, second.existed, second.refused]).toEqual([
        0,
        first.created + first.existed,
        first.refused,
      ])
    }),
    options(0.2),
  )
  expect(all).toBeGreaterThan(0)
})

const deep = fc.integer({ min: 1, max: 30_000 }).map((depth) => `${'['.repeat(depth)}1${']'.repeat(depth)}`)

const json = fc.oneof(
  fc.json({ maxDepth: 4 }),
  nasty.map((text) => JSON.stringify(text)),
  fc.constantFrom(
    '1e999',
    '-0',
    '9007199254740993',
    '{"toString":1}',
    '{"__proto__":{"email":"evil@example.com"}}',
  ),
  deep,
  fc.integer({ min: 1, max: 2_000_000 }).map((length) => JSON.stringify('x'.repeat(length))),
)

test('a strange value of JSON refuses its record, and never ends the run', {
  timeout: 3_600_000,
}, async () => {
  const app = await createTestApp()
  const file = join(await temporaryFolder(), 'users.json')
  const names = Object.keys(exportFormats).filter((name) => name !== 'firebase')
  const field = fc.constantFrom(
    'id',
    'username',
    'email',
    'password',
    'is_active',
    'credentials',
    'fields',
    'user_id',
    'created_at',
    'email_verified_at',
  )
  const record = fc.array(fc.tuple(field, json), { maxLength: 3 })
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom('', ...names),
      fc.constantFrom('lines', 'array', 'users'),
      fc.array(record, { minLength: 1, maxLength: 4 }),
      async (format, shape, records) => {
        const texts = records.map((fields, at) => {
          const given = fields.map(([name, value]) => `${JSON.stringify(name)}:${value}`)
          return `{${[`"username":"user${at}","email":"user${at}@example.com"`, ...given].join(',')}}`
        })
        const [start, between, end] =
          shape === 'lines'
            ? ['', '\n', '']
            : shape === 'array'
              ? ['[\n', ',\n', '\n]']
              : ['{"users":[\n', ',\n', '\n]}']
        await writeFile(file, `${start}${texts.join(between)}${end}`)
        const { created, existed, refused, isNamed } = await report(
          app,
          file,
          ...(format ? ['--format', format] : []),
          '--dry-run',
        )
        expect(created + existed + refused).toBe(records.length)
        const offset = shape === 'lines' ? 1 : 2
        expect(records.filter((_, at) => !isNamed(at + offset)).length).toBe(created)
      },
    ),
    options(0.5),
  )
})

const times = [
  '2024-01-02 03:04:05',
  '2024-01-02T03:04:05.678Z',
  '2024-01-02 03:04:05.678901+00',
  '0000-00-00 00:00:00',
  '1704164645',
  'soon',
]
/** A text is no boolean in any system. */
const text = fc.oneof(fc.constantFrom(null, '', '0', 'null', 12345678901234567890n, ...times), nasty)
const state = fc.oneof(
  fc.constantFrom(
    null,
    true,
    false,
    '',
    '0',
    '1',
    't',
    'no',
    'null',
    'infinity',
    12345678901234567890n,
    ...times,
  ),
  nasty,
)

const texts = [
  'id',
  'ID',
  'pk',
  'user_id',
  'username',
  'user_login',
  'email',
  'user_email',
  'primary_email_address',
  'verified_email_addresses',
  'created_at',
  'date_joined',
  'password',
]
const states = [
  'email_verified_at',
  'email_confirmed_at',
  'confirmed_at',
  'email_verified',
  'emailVerified',
  'deleted_at',
  'banned_at',
  'banned_until',
]
states.push(
  'blocked',
  'banned',
  'spam',
  'deleted',
  'user_status',
  'is_active',
  'enabled',
  'disabled',
  'is_superuser',
)

const cell = fc.oneof(fc.tuple(fc.constantFrom(...texts), text), fc.tuple(fc.constantFrom(...states), state))

test('JSON and CSV of one row give the same user', { timeout: 3_600_000 }, async () => {
  const { config } = await createTestApp()
  const folder = await temporaryFolder()
  const reading = { config, now: Date.parse('2026-01-01'), note: () => {} }
  const read = async (text: string, format: string) => {
    const file = join(folder, 'users')
    await writeFile(file, text)
    for await (const { value } of recordsOf(file, { email: ['end'] }, new Set())) {
      if (typeof value === 'string') return value
      try {
        return lineOf(exportFormats[format] ?? {}, value, reading)
      } catch (error) {
        return String(error)
      }
    }
    return undefined
  }
  const names = Object.keys(exportFormats).filter((name) => name !== 'firebase' && name !== 'keycloak')
  await fc.assert(
    fc.asyncProperty(
      fc.constantFrom(...names),
      fc.uniqueArray(cell, { selector: ([name]) => name, maxLength: 12 }),
      async (format, cells) => {
        // Because of a line break or backslash, the reader of CSV can refuse a record.
        const row = [...cells, ['end', 'x'] as const].map(
          ([name, value]) =>
            [name, typeof value === 'string' ? value.replaceAll(/[\r\n\\]/g, '') : value] as const,
        )
        const header = row.map(([name]) => name).join(',')
        const csv = row
          .map(([, value]) =>
            value === null ? 'NULL' : typeof value === 'string' ? quoted(value) : String(value),
          )
          .join(',')
        const object = row
          .map(([name, value]) => `"${name}":${typeof value === 'bigint' ? value : JSON.stringify(value)}`)
          .join(',')
        const expected = await read(`[{${object}}]`, format)
        expect(await read(`${header}\n${csv}\n`, format)).toEqual(expected)
        expect(await read(`{${object}}\n`, format)).toEqual(expected)
      },
    ),
    options(5),
  )
})
