import { expect, test } from 'vitest'
import { parseAddress, refuseOtherKind } from '../../../src/copy/address.ts'

test.each([
  ['file:data/app.db', '/project/data/app.db'],
  ['file:/data/app.db', '/data/app.db'],
  ['file:///data/my%20app.db', '/data/my app.db'],
  ['data/app.db', '/project/data/app.db'],
  ['../app.db', '/app.db'],
])('%s is a file', (text, file) => {
  expect(parseAddress('--from', text, '/project')).toEqual({ kind: 'sqlite', file })
})

test.each(['postgres://localhost/app', 'postgresql://me@localhost:5432/app?options=-c%20search_path=mine'])(
  '%s is a server',
  (url) => {
    expect(parseAddress('--to', url, '/project')).toEqual({ kind: 'postgres', url })
  },
)

test.each([
  'mysql://me:geheim@localhost/app',
  'POSTGRES://me:geheim@localhost/app',
  'postgres:',
  'postgres://',
  'file:',
  'file::memory:',
  'file:///%2F',
  ':memory:',
  '',
])('%j is refused and not repeated, because it may contain a password', (text) => {
  const message =
    '`--from` must be a SQLite file, such as file:data/app.db, or a PostgreSQL address, such as postgres://'
  expect(() => parseAddress('--from', text, '/project')).toThrow(
    expect.objectContaining({ code: 'usage', message: `${message}user@host:5432/name.` }),
  )
})

test('a target of the other kind is refused, with the command that switches the project', () => {
  const address = parseAddress('--to', 'postgres://me:geheim@localhost/app', '/project')
  expect(() => refuseOtherKind(address, 'sqlite')).toThrow(
    '`--to` must be the address of the database that this project uses: a SQLite file, such as file:data/app.db. ' +
      'To move to the other kind, first run: create-authsmith regenerate --database postgres',
  )
  expect(() => refuseOtherKind(address, 'postgres')).not.toThrow()
})
