import { z } from 'zod'

export const challenge = z
  .string()
  .regex(/^[\w-]{43}$/, 'Must be the base64url of a SHA-256')
  .meta({ description: 'PKCE of the front end: base64url(SHA-256(code_verifier))' })

/** A path alone: anything else would lead users of this service to a page of somebody else (open redirect). */
const isPath = (text: string): boolean => {
  const base = 'https://service.invalid'
  return /^\/[ -~]*$/.test(text) && URL.canParse(text, base) && new URL(text, base).origin === base
}

export const returnTo = z
  .string()
  .max(1024)
  .refine(isPath, 'Must be a path')
  .optional()
  .meta({ description: 'Where the front end goes afterwards: a path', examples: ['/orders'] })
