import { z } from 'zod'
import { originList, settings } from './types.ts'

/** Where passkeys are valid. */
export const passkeys = settings({
  /** Domain that passkeys belong to. Empty: the host of FRONTEND_URL. Another one voids all passkeys. */
  rpId: ['WEBAUTHN_RP_ID', z.hostname('must be a domain, such as example.com').optional()],
  /** Origins of the pages that use passkeys, comma-separated. Empty: that of FRONTEND_URL. */
  origins: ['WEBAUTHN_ORIGINS', originList().default([])],
})
