import { z } from 'zod'
import { text } from './text.ts'

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

/**
 * The cursors of a list. A page starts after the row of its cursor (keyset pagination), so rows that are added or deleted
 * meanwhile move no others to the next page, and late pages cost no more than the first.
 * @param position what identifies a row in the order of the list, such as `z.int()` for an id
 */
export function createCursor<Position extends z.ZodType>(position: Position) {
  return {
    /** The cursor of a row, for `next_cursor` of the page that ends with it. */
    of: (row: z.output<Position>): string => Buffer.from(JSON.stringify(row)).toString('base64url'),

    /** A cursor in a query. Clients can make one up, so it is checked like every input, and must not grant anything. */
    schema: text(512).transform((value, context): z.output<Position> => {
      const parsed = position.safeParse(parseJson(Buffer.from(value, 'base64url').toString()))
      if (parsed.success) return parsed.data
      context.addIssue({
        code: 'custom',
        message: 'Must be a next_cursor of this list',
        params: { code: 'invalid_cursor' },
      })
      return z.NEVER
    }),
  }
}

/** Undefined if the text is not JSON. */
function parseJson(json: string): unknown {
  try {
    return JSON.parse(json)
  } catch {
    return undefined
  }
}
