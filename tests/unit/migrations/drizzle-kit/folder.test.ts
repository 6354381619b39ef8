// Covers src/migrations/drizzle-kit/read-file.ts.
import { describe, expect, it } from 'vitest'
import { readFolder } from '../../../../src/migrations/drizzle-kit/folder.ts'
import { UserError } from '../../../../src/system/errors.ts'
import { fresh, type JournalFile, type SnapshotFile, withJson } from '../fixtures.ts'

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

describe('two branches that both generated migrations', () => {
  /** The folder after a merge: each migration is [tag, snapshot, the snapshot before it]. */
  function merged(...migrations: (readonly [string, string, string])[]) {
    const [journal, first] = [JOURNAL, SNAPSHOT].map((path) => JSON.parse(files.get(path) ?? '')) as [
      JournalFile,
      SnapshotFile,
    ]
    const entries = [...journal.entries]
    const result = new Map(files)
    for (const [tag, id, prevId] of migrations) {
      entries.push({ ...(entries[0] as (typeof entries)[0]), tag, idx: entries.length })
      result.set(`migrations/sqlite/${tag}.sql`, 'SELECT 1;\n')
      const snapshot = { ...first, id, prevId: prevId === 'init' ? first.id : prevId }
      result.set(`migrations/sqlite/meta/${tag.split('_')[0]}_snapshot.json`, JSON.stringify(snapshot))
    }
    return result.set(JOURNAL, JSON.stringify({ ...journal, entries }))
  }
  const refusal = (...migrations: Parameters<typeof merged>) => {
    try {
      return readFolder(merged(...migrations), 'sqlite').migrations.length
    } catch (error) {
      return (error as UserError).code === 'refused' && (error as UserError).message
    }
  }

  it('are refused, with the commands that write one of them again', () => {
    expect(refusal(['0001_ours', 'a', 'init'], ['0002_ours', 'b', 'a'])).toBe(3)
    expect(refusal(['0001_ours', 'a', 'init'], ['0002_theirs', 'b', 'init'])).toBe(
      'migrations/sqlite/0002_theirs.sql and 0001_ours.sql both follow the same migration, as after a merge. ' +
        'Delete the entry of 0002_theirs from migrations/sqlite/meta/_journal.json, then run ' +
        '`git rm -f migrations/sqlite/0002_theirs.sql migrations/sqlite/meta/0002_snapshot.json` and ' +
        '`npm run db:generate`, which writes it again.',
    )
  })

  it('are refused with all that follow on the same branch', () => {
    const theirs = [
      ['0003_theirs', 'c', 'init'],
      ['0004_theirs', 'd', 'c'],
    ] as const
    expect(refusal(['0001_ours', 'a', 'init'], ['0002_ours', 'b', 'a'], ...theirs)).toContain(
      'Delete the entry of 0003_theirs, 0004_theirs from ',
    )
  })

  it('are refused if both had the same number, of which git kept one snapshot', () => {
    const refused = refusal(['0001_ours', 'a', 'init'], ['0001_theirs', 'a', 'init'])
    expect(refused).toContain('`git rm -f migrations/sqlite/0001_theirs.sql` and ')
  })
})
