import { z } from 'zod'

/**
 * Text from a client. Rejects control characters (log and header injection) and unpaired surrogates, which databases
 * and hash functions replace with another character.
 */
export const text = () =>
  z.string().refine((value) => value.isWellFormed() && !/\p{Cc}/u.test(value), {
    error: 'Must not contain control characters',
    params: { code: 'invalid_characters' },
  })
