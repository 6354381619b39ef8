import { z } from 'zod'

/**
 * Text from a client. Control characters could end a line in a log or a header, and half a surrogate pair becomes
 * another character on its way into the database or a hash: both are refused.
 */
export const text = () =>
  z.string().refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
    error: 'Must not contain control characters',
    params: { code: 'invalid_characters' },
  })
