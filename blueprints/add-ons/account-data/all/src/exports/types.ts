import type { z } from 'zod'
import type { Reader } from '../db/database.ts'
import type { User } from '../users/users.ts'

/** Maximum number of rows of each table. A user who logs in all day must not get a response that fills the memory. */
export const maxRows = 1_000

/** What an export is about. */
interface Subject {
  db: Reader
  now: number
  user: User
}

/** A part of the account export: its fields, and how to read them, newest rows first. No hashes, and no tokens. */
interface ExportPart<Shape extends z.ZodRawShape> {
  shape: Shape
  read(subject: Subject): Promise<z.output<z.ZodObject<Shape>>>
}

/** Each file of this folder exports one, by the name of the file. `index.ts` lists them. */
export const exportPart = <Shape extends z.ZodRawShape>(part: ExportPart<Shape>): ExportPart<Shape> => part
