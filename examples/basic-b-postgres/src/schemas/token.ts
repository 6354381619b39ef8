import { z } from 'zod'
import type { ProblemName } from '../errors/api-error.ts'

/** The errors of every route behind `app.requireUser`. */
export const bearerProblems = [
  'not_authenticated',
  'token_expired',
  'invalid_token',
] as const satisfies ProblemName[]

/** The errors of a login. */
export const loginProblems = [
  // The same for every name.
  'invalid_credentials',
] as const satisfies ProblemName[]

export const tokenResponse = z
  .object({
    access_token: z.string().meta({ examples: ['eyJhbGciOiJIUzI1NiIsInR5cCI6ImF0K2p3dCJ9.…'] }),
    token_type: z.literal('bearer'),
    expires_in: z.int().meta({ description: 'Lifetime of the access token in seconds', examples: [1800] }),
  })
  .meta({ id: 'TokenResponse' })
