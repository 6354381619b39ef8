import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { cutValues, misspelled } from '../src/config.ts'
import { startProcess } from './support/process.ts'
import { temporaryFolder } from './support/temporary-folder.ts'

const names = ['DATABASE_URL', 'LOG_LEVEL', 'PORT', 'REDIS_URL', 'RATE_LIMIT_LOGINS', 'SMTP_PASSWORD']

test.each([
  'DATABASE_URL=postgres://u:p#w@localhost/db',
  'DATABASE_URL=postgres://u:p#w@localhost/db # with a comment',
  '  export DATABASE_URL = p#w',
  'DATABASE_URL=#secret',
  'DATABASE_URL=secret#',
  'PORT=1\r\nDATABASE_URL=p#w\r\n',
])('a value that its # cuts is named, but not shown: %j', (file) => {
  const [line, ...others] = cutValues(file, {})
  expect(line).toMatch(/^\.env: the value of DATABASE_URL ends before its #: put it in quotes/)
  expect(line).not.toMatch(/secret|postgres/)
  expect(others).toEqual([])
})

test.each([
  'DATABASE_URL="p#w"',
  "DATABASE_URL='p#w'",
  'DATABASE_URL=`p#w`',
  'DATABASE_URL="p"#comment',
  'DATABASE_URL=p # comment',
  'DATABASE_URL= # comment',
  'DATABASE_URL=# comment',
  '# DATABASE_URL=p#w',
  'SMTP_PASSWORD="a\nDATABASE_URL=p#w\n"',
])('%j is not cut', (file) => expect(cutValues(file, {})).toEqual([]))

test('what the environment sets is not read from .env', () => {
  expect(cutValues('DATABASE_URL=p#w', { DATABASE_URL: 'p' })).toEqual([])
})

test.each([
  ['RATE_LIMIT_LOGNIS', 'RATE_LIMIT_LOGINS'],
  ['RATE_LIMIT_LOGIN', 'RATE_LIMIT_LOGINS'],
  ['RATE_LIMITS_LOGIN', 'RATE_LIMIT_LOGINS'],
  ['RATELIMIT_LOGINS', 'RATE_LIMIT_LOGINS'],
  ['rate_limit_logins', 'RATE_LIMIT_LOGINS'],
  ['DATABSE_URL', 'DATABASE_URL'],
  ['DATABASE_URI', 'DATABASE_URL'],
])('%s is nearly %s, in .env and in the environment', (name, meant) => {
  expect(misspelled({ [name]: '5' }, {}, names)).toEqual([
    `${name} is not a setting and is ignored: did you mean ${meant}?`,
  ])
  expect(misspelled({}, { [name]: '5' }, names)).toHaveLength(1)
  expect(misspelled({ [meant]: '4' }, { [name]: '5' }, names)).toHaveLength(1)
})

test('a short name is only compared in .env', () => {
  expect(misspelled({ PROT: '5' }, {}, names)).toEqual([
    'PROT is not a setting and is ignored: did you mean PORT?',
  ])
  expect(misspelled({}, { PROT: '5', SORT: '-r' }, names)).toEqual([])
})

test.each([
  [
    'other names',
    { HOME: '/', LANG: 'C', TEST_DATABASE_URL: 'x', SMTP_PASSWORD_FILE: '/run/x', LOG_FORMAT: 'json' },
  ],
  ['a platform that sets both', { REDIS_URI: 'redis://a', REDIS_URL: 'redis://b' }],
  ['an empty value', { REDIS_URI: '' }],
])('no warning: %s', (_, env) => expect(misspelled({}, env, names)).toEqual([]))

// A switch of the profile keeps the old line, with the value that the new one has.
test('no warning for another name with the same value', () => {
  expect(misspelled({ EMAIL_FROM_NAME: 'A', EMAILS_FROM_NAME: 'A' }, {}, ['EMAILS_FROM_NAME'])).toEqual([])
  expect(misspelled({ EMAIL_FROM_NAME: 'B', EMAILS_FROM_NAME: 'A' }, {}, ['EMAILS_FROM_NAME'])).toHaveLength(
    1,
  )
})

test('the service warns when it starts, also if a setting is invalid', async () => {
  const folder = await temporaryFolder()
  await writeFile(join(folder, '.env'), 'LOG_LEVLE=info\nLOG_LEVEL=in#fo\n')
  const { output } = await startProcess({ PORT: 'x' }, folder).closed
  expect(output).toContain(
    'Configuration: LOG_LEVLE is not a setting and is ignored: did you mean LOG_LEVEL?',
  )
  expect(output).toContain('Configuration: .env: the value of LOG_LEVEL ends before its #')
  expect(output).toContain('Configuration: PORT must be')
})
