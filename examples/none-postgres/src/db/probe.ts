/** The table that /health/ready reads. */
export { notes as probe } from './schema/notes.ts'
