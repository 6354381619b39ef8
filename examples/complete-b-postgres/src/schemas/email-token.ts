import { text } from './text.ts'

/** A token or code as it was mailed, and as people type it. */
export const emailToken = text().meta({ description: 'The token or code from the mail' })
