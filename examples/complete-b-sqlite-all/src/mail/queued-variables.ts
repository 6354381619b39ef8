import type { Config } from '../config.ts'
import type { QueuedMail } from '../db/schema/outbox.ts'
import { deriveKeys } from '../keys.ts'
import { unseal } from './seal.ts'

/** Reads the variables of a mail in the outbox. @throws Error if no key decrypts them */
export type QueuedVariables = (mail: QueuedMail) => Record<string, string>

export function createQueuedVariables(config: Config): QueuedVariables {
  const keys = deriveKeys(config.accessTokens).outbox
  return (mail) => {
    const variables: Record<string, string> = JSON.parse(unseal(mail.sealedVariables ?? '', keys))
    return variables
  }
}
