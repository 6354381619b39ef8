import { desc, eq, lt } from 'drizzle-orm'
import type { Context } from '../context.ts'
import { type Note, notes } from '../db/schema/notes.ts'

/** The rules of the example resource, without Fastify. Reads use `db.read`; every write is a transaction. */

/** Maximum number of notes in one response. */
export const pageSize = 50

export async function findNote({ db }: Context, id: number): Promise<Note | undefined> {
  const [note] = await db.read.select().from(notes).where(eq(notes.id, id))
  return note
}

/** The newest notes, or the newest of those older than the note with the id `before`. */
export const listNotes = async ({ db }: Context, before?: number): Promise<Note[]> =>
  db.read
    .select()
    .from(notes)
    .where(before === undefined ? undefined : lt(notes.id, before))
    .orderBy(desc(notes.id))
    .limit(pageSize)

export const addNote = ({ db, now }: Context, note: { title: string; body: string }): Promise<Note> =>
  db.transaction(async (tx) => {
    const [added] = await tx
      .insert(notes)
      .values({ ...note, createdAt: new Date(now()) })
      .returning()
    if (!added) throw new Error('The database returned no row for a new note')
    return added
  })
