import { z } from 'zod'

/** An id in a path is text: only digits are taken for one. */
export const idParameter = z
  .string()
  .regex(/^[1-9]\d{0,14}$/, 'Must be a positive whole number')
  .transform(Number)
