import { expect, it } from 'vitest'
import type { Tree } from '../../../../src/project/tree.ts'
import { unexportedNotes } from '../../../../src/update/owner/unexported-tables.ts'

const SCHEMA = `
export const plans = table('plans', { id: id() })
// A comment: users.id
export const notes = table('notes', { owner: integer('owner').references(() => users.id) })
export const bills = sqliteTable("bills", { owner: integer() }, (t) => [
  foreignKey({ columns: [t.owner], foreignColumns: [users.id] }),
])
`
/** The files of a project without the export, and with it. */
const WITHOUT = new Map<string, string>()
const WITH = new Map([['src/exports/index.ts', '']])

const USERS = "export const users = table('users', { invitedBy: integer().references(() => users.id) })"

function notesOf(files: Record<string, string>, from = WITHOUT, to = WITH) {
  const all = new Map(
    Object.entries({ 'src/db/schema/mine.ts': SCHEMA, 'src/db/schema/users.ts': USERS, ...files }),
  )
  const tree = { paths: [...all.keys()], text: (path: string) => all.get(path) } as unknown as Tree
  return unexportedNotes(tree, from, new Map([...to, ['src/db/schema/users.ts', USERS]]))
}

it("names the owner's tables that reference users, when the export is added", () => {
  expect(notesOf({})).toEqual([
    'not in the export of an account: your notes, bills. Add a file to src/exports/ for each',
  ])
})

it('names none that a file of src/exports/ reads, and none in another update', () => {
  const reading = { 'src/exports/mine.ts': 'db.select().from(notes)' }
  expect(notesOf(reading)).toEqual([
    'not in the export of an account: your bills. Add a file to src/exports/ for it',
  ])
  expect(notesOf({}, WITH, WITH)).toEqual([])
  expect(notesOf({}, WITH, WITHOUT)).toEqual([])
})
