import { z } from 'zod'

/** A session, live or ended. */
export const storedSession = z.object({
  id: z.int(),
  device_name: z.string().nullable(),
  device_type: z.string().nullable(),
  ip_address: z.string().nullable(),
  user_agent: z.string().nullable(),
  is_revoked: z.boolean(),
  created_at: z.iso.datetime(),
  last_used_at: z.iso.datetime().nullable(),
  expires_at: z.iso.datetime(),
})
