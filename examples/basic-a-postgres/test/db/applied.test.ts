import { expect, test } from 'vitest'
import { compare } from '../../src/db/applied.ts'

const migration = (folderMillis: number, hash: string) => ({
  folderMillis,
  hash,
  sql: ['SELECT 1'],
  bps: true,
})

test('nothing runs again after `drizzle-kit up` of version 1.0, which drops the milliseconds', () => {
  const applied = [
    { hash: 'a', time: 1_780_000_000_000 },
    { hash: 'b', time: 1_780_000_007_123 },
    { hash: 'c', time: 1_780_000_007_124 },
  ]
  const upgraded = [
    migration(1_780_000_000_000, 'a'),
    migration(1_780_000_007_000, 'b'),
    migration(1_780_000_007_000, 'c'),
  ]
  expect(compare(upgraded, applied)).toEqual({ pending: [], repeated: [], unknown: [] })
  const added = migration(1_780_000_009_000, 'd')
  expect(compare([...upgraded, added], applied)).toEqual({ pending: [added], repeated: [], unknown: [] })
})

test('of two migrations of the same second, the one that did not run is pending', () => {
  const [first, second] = [migration(1_780_000_007_000, 'a'), migration(1_780_000_007_000, 'b')]
  expect(compare([first, second], [{ hash: 'a', time: 1_780_000_007_000 }]).pending).toEqual([second])
})
