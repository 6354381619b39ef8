import { z } from 'zod'
import { settings } from './types.ts'

/** The name of this service in the claim aud. */
const ownName = 'my-api'

/** Keys that sign access tokens, and what their tokens say. */
export const jwks = settings(
  {
    /** Folder of the private keys that sign access tokens. */
    folder: ['JWT_KEYS_DIR', z.string().default('keys/')],
    /** Private key as PEM (PKCS 8), instead of the folder; a line break may be written as \n. Empty: the folder. */
    privateKey: ['JWT_PRIVATE_KEY', z.string().optional()],
    /** Claim client_id of the access tokens of users, if a key signs them. */
    clientId: ['JWT_CLIENT_ID', z.string().default(ownName)],
    /** Claim iss: the issuer of the tokens, if a key signs them. */
    issuer: ['JWT_ISSUER', z.string().default(ownName)],
    /** Claim aud: the audience of the tokens, if a key signs them; several, comma-separated, include my-api. */
    audience: ['JWT_AUDIENCE', z.string().default(ownName)],
  },
  ({ audience, ...given }) => {
    const audiences = audience.split(',').map((name) => name.trim())
    return { ...given, audiences, ownAudience: audiences.length > 1 ? ownName : audience.trim() }
  },
)
