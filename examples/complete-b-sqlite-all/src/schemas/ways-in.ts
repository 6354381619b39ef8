import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Confirmation } from '../sign-in/ways-in.ts'
import { proofFields, proofOf } from './proof.ts'
import { emailToken } from './text.ts'

/** What confirms that a way to log in is added or removed. All optional: the answer says what is missing. */
export const confirmationFields = { ...proofFields, emailed_token: emailToken.optional() }

/** What the answer may say. */
export const confirmationProblems = [
  'user_not_verified',
  'emailed_token_required',
  'invalid_or_expired_token',
  'reauthentication_required',
  'invalid_code',
  'too_many_requests',
] as const

const fields = z.object(confirmationFields)

/** What a request confirms with. @param body its fields, without others */
export function confirmationOf(
  { caller, ip }: FastifyRequest,
  { emailed_token: emailedToken, ...body }: z.output<typeof fields>,
): Confirmation {
  return { emailedToken, proof: proofOf({ body, caller, ip }) }
}
