import { z } from 'zod'

/** An id in a URL: at most 15 digits, which a number represents exactly. */
export const id = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'Must be a positive whole number')
  .transform(Number)
  // The document describes the number, because clients send one.
  .meta({ type: 'integer', minimum: 1, maximum: 999_999_999_999_999, pattern: undefined })
