import { expect, it } from 'vitest'
import { dropNotes } from '../../../src/migrations/notes.ts'

const table = (name: string) => ({ name, columns: {}, indexes: {} })

it('one note says how the tables of all removed add-ons are dropped, the last first', () => {
  const [note, ...others] = dropNotes(['tokens', 'passkeys', 'totp'].map(table))
  expect(others).toEqual([])
  expect(note).toContain('DROP TABLE "totp"; DROP TABLE "passkeys"; DROP TABLE "tokens";')
  expect(dropNotes([])).toEqual([])
})
