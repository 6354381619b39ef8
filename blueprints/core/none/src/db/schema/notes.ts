import { id, table, text, timestamp } from '../dialect.ts'

/** The example resource. */
export const notes = table('notes', {
  id: id(),
  title: text('title').notNull(),
  body: text('body').notNull(),
  createdAt: timestamp('created_at').notNull(),
})

export type Note = typeof notes.$inferSelect
