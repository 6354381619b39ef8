import { z } from 'zod'

/**
 * Text from a client. Rejects control characters (log and header injection) and unpaired surrogates, which databases
 * and hash functions replace with another character.
 * @param maxLength in UTF-16 code units. Checked before anything else looks at the text, so that no long text can keep
 * the service busy. Default: the limit of the body
 */
export const text = (maxLength?: number) =>
  (maxLength === undefined ? z.string() : limited(maxLength)).refine(
    (value) => value.isWellFormed() && !/\p{Cc}/u.test(value),
    { error: 'Must not contain control characters', params: { code: 'invalid_characters' } },
  )

/**
 * Text of several lines from a client: like `text`, but with line breaks, which become \n, and tabs. Never put it into a
 * header, a log line or the subject of an email: a client could add lines there.
 * @param maxLength in UTF-16 code units, as sent
 */
export const multilineText = (maxLength: number) =>
  limited(maxLength)
    .refine((value) => value.isWellFormed() && !/[^\P{Cc}\t\n\r]/u.test(value), {
      error: 'Must not contain control characters, except line breaks and tabs',
      params: { code: 'invalid_characters' },
    })
    .overwrite((value) => value.replaceAll(/\r\n?/g, '\n'))

/** `max` is in the OpenAPI document, but counts code points: half as many as code units if they are emoji. */
const limited = (maximum: number) =>
  z
    .string()
    .max(maximum, { abort: true })
    .refine((value) => value.length <= maximum, {
      error: `Too big: expected string to have <=${maximum} characters`,
      params: { code: 'too_big' },
      abort: true,
    })

/** With 15 digits, a number represents every id exactly. */
const maxNumber = 999_999_999_999_999

/** A whole number in a path or query, such as an id, or `urlNumber({ max: 100 }).default(20)` for the size of a page. */
export function urlNumber({ min = 1, max = maxNumber } = {}) {
  const error =
    max === maxNumber ? `Must be a whole number from ${min}` : `Must be a whole number from ${min} to ${max}`
  return (
    z
      .string()
      .regex(/^(0|[1-9]\d{0,14})$/, { error, abort: true })
      .transform(Number)
      .refine((value) => value >= min && value <= max, { error })
      // The document describes the number, because clients send one.
      .meta({ type: 'integer', minimum: min, maximum: max, pattern: undefined })
  )
}
