import { z } from 'zod'
import { text } from './text.ts'

/** A refresh token, emailed token or code from a client. No valid one is longer. */
export const submittedToken = text(512)

/** An emailed token or code, as users type it. */
export const emailToken = submittedToken.meta({ description: 'The token or code from the email' })

/** A response with one fixed sentence. */
export const message = <const Text extends string>(text: Text) => z.object({ message: z.literal(text) })
