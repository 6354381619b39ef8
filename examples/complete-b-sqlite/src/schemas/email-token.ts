import { z } from 'zod'
import { text } from './text.ts'

/** A mailed token or code, as users type it. */
export const emailToken = text().meta({ description: 'The token or code from the mail' })

/** A response with one fixed sentence. */
export const message = <const Text extends string>(text: Text) => z.object({ message: z.literal(text) })
