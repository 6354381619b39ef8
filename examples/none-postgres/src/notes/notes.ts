import { desc, eq, lt } from 'drizzle-orm'
import type { Database } from '../db/database.ts'
import { type Note, notes } from '../db/schema/notes.ts'

/** Maximum number of notes in one response. */
export const pageSize = 50

/** The rules of the example resource, without Fastify. Reads use `db.read`; every write is a transaction. */
export function createNotes(db: Database, now: () => number) {
  return {
    async find(id: number): Promise<Note | undefined> {
      const [note] = await db.read.select().from(notes).where(eq(notes.id, id))
      return note
    },

    /** The newest notes, or the newest of those older than the note with the id `before`. */
    async list(before?: number): Promise<Note[]> {
      return db.read
        .select()
        .from(notes)
        .where(before === undefined ? undefined : lt(notes.id, before))
        .orderBy(desc(notes.id))
        .limit(pageSize)
    },

    async add(note: { title: string; body: string }): Promise<Note> {
      return db.transaction(async (tx) => {
        const [added] = await tx
          .insert(notes)
          .values({ ...note, createdAt: new Date(now()) })
          .returning()
        if (!added) throw new Error('The database returned no row for a new note')
        return added
      })
    },
  }
}
