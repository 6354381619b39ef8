import { z } from 'zod'
import { submittedToken } from './token.ts'

/** A mailed token or code, as users type it. */
export const emailToken = submittedToken.meta({ description: 'The token or code from the mail' })

/** A response with one fixed sentence. */
export const message = <const Text extends string>(text: Text) => z.object({ message: z.literal(text) })
