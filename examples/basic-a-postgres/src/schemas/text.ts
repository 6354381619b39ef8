import { z } from 'zod'

/**
 * Text from a client. Rejects control characters (log and header injection) and unpaired surrogates, which databases
 * and hash functions replace with another character.
 * @param maxLength in code points, as in the OpenAPI document. Checked before anything else looks at the text, so that
 * no long text can keep the service busy. Default: the limit of the body
 */
export const text = (maxLength?: number) =>
  (maxLength === undefined ? z.string() : z.string().max(maxLength, { abort: true })).refine(
    (value) => value.isWellFormed() && !/\p{Cc}/u.test(value),
    { error: 'Must not contain control characters', params: { code: 'invalid_characters' } },
  )
