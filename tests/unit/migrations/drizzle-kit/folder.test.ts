// Covers src/migrations/drizzle-kit/read-file.ts.
import { describe, expect, it } from 'vitest'
import { readFolder } from '../../../../src/migrations/drizzle-kit/folder.ts'
import { UserError } from '../../../../src/system/errors.ts'
import { fresh, type JournalFile, withJson } from '../fixtures.ts'

const files = fresh('basic-a', 'sqlite')
const JOURNAL = 'migrations/sqlite/meta/_journal.json'
const SNAPSHOT = 'migrations/sqlite/meta/0000_snapshot.json'
const SQL = 'migrations/sqlite/0000_init.sql'

const without = (path: string) => new Map([...files].filter(([each]) => each !== path))
const withText = (path: string, text: string) => new Map([...files, [path, text]])
const withEntry = (change: Record<string, unknown>) =>
  withJson<JournalFile>(files, JOURNAL, ({ entries }) => Object.assign(entries[0] ?? {}, change))

describe('a folder of migrations', () => {
  it('is read with unknown members and with a byte order mark', () => {
    const folder = readFolder(withText(JOURNAL, `\u{feff}${files.get(JOURNAL)}`), 'sqlite')
    expect(folder.migrations.map(({ tag, when }) => [tag, when])).toEqual([['0000_init', 1767225600000]])
  })

  it.each([
    [
      'no journal',
      without(JOURNAL),
      `${JOURNAL} is missing. Move your migrations back if you moved them, or restore migrations/ from version control.`,
    ],
    ['no SQL', without(SQL), `${SQL} is missing`],
    ['no snapshot', without(SNAPSHOT), `${SNAPSHOT} is missing`],
    ['a journal with conflict markers', withText(JOURNAL, '<<<<<<< HEAD\n{}'), `${JOURNAL} is not JSON`],
    ['a snapshot that is not JSON', withText(SNAPSHOT, ''), `${SNAPSHOT} is not JSON`],
    ['a journal that is a list', withText(JOURNAL, '[]'), `${JOURNAL} must contain one JSON object`],
    ['no entries', withText(JOURNAL, '{"dialect":"sqlite"}'), `${JOURNAL} is damaged at entries`],
    [
      'an empty list',
      withText(JOURNAL, '{"dialect":"sqlite","entries":[]}'),
      `${JOURNAL} lists no migration`,
    ],
    ['an invalid time', withEntry({ when: '1' }), 'entries.0.when'],
    ['a time out of range', withEntry({ when: 1e300 }), 'entries.0.when'],
    ['a negative number', withEntry({ idx: -1 }), 'entries.0.idx'],
    ['a path for a name', withEntry({ tag: '../../x' }), 'is missing'],
    ['no tables', withText(SNAPSHOT, '{"id":"1","version":"6","dialect":"sqlite"}'), 'tables'],
    [
      'a table without columns',
      withText(
        SNAPSHOT,
        '{"id":"1","version":"6","dialect":"sqlite","tables":{"a":{"name":"a","indexes":{}}}}',
      ),
      'tables.a.columns',
    ],
    [
      'another database',
      withText(JOURNAL, '{"dialect":"postgresql","entries":[]}'),
      `${JOURNAL} is for postgresql, not for sqlite`,
    ],
  ])('%s is refused', (_, damaged, message) => {
    expect(() => readFolder(damaged, 'sqlite')).toThrow(
      expect.objectContaining({ code: 'refused', message: expect.stringContaining(message) }),
    )
    expect(() => readFolder(damaged, 'sqlite')).toThrow(UserError)
    expect(() => readFolder(damaged, 'sqlite')).toThrow(
      /^[^\n]{10,250}(?:\. R|, or r)estore migrations\/ from version control\.$/,
    )
  })
})
