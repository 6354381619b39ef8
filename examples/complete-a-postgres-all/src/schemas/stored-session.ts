import { z } from 'zod'

/** A session, live or expired. */
export const storedSession = z.object({
  id: z.int(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime(),
})
