import { z } from 'zod'

/** A time with a time zone, converted to milliseconds since 1970. */
export const moment = () =>
  z.iso
    .datetime({ offset: true, error: 'must be a time such as 2026-01-31T12:00:00Z' })
    .transform((text) => Date.parse(text))
