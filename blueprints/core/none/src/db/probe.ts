import { notes } from './schema/notes.ts'

/** The tables that /health/ready checks. */
export const probe = [notes] as const
