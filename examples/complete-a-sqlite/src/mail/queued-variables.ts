import type { QueuedMail } from '../db/schema/outbox.ts'
import type { KeyRing } from '../keys.ts'
import { unseal } from './seal.ts'

/** The variables of a mail in the outbox. @throws Error if no key decrypts them */
export function queuedVariables({ sealedVariables }: QueuedMail, keys: KeyRing): Record<string, string> {
  const variables: Record<string, string> = JSON.parse(unseal(sealedVariables ?? '', keys))
  return variables
}
