import { z } from 'zod'
import { text, urlNumber } from './text.ts'

/**
 * The cursor of a row in a list by id. A page starts after that row (keyset pagination), so rows that are added or deleted
 * meanwhile move no others to the next page, and late pages cost no more than the first.
 */
export const cursorOf = (id: number): string => Buffer.from(String(id)).toString('base64url')

/** A cursor in a query: the id. Clients can make one up, so it is checked like every input, and must not grant anything. */
export const cursor = text(64).transform((value, context): number => {
  const parsed = urlNumber().safeParse(Buffer.from(value, 'base64url').toString())
  if (parsed.success) return parsed.data
  context.addIssue({
    code: 'custom',
    message: 'Must be a next_cursor of this list',
    params: { code: 'invalid_cursor' },
  })
  return z.NEVER
})
