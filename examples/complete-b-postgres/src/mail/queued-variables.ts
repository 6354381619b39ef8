import type { Config } from '../config.ts'
import type { QueuedMail } from '../db/schema/outbox.ts'
import { deriveKeys } from '../keys.ts'
import { pageLink } from './page-link.ts'
import { unseal } from './seal.ts'

/** Reads the variables of a mail in the outbox. @throws Error if no key decrypts them */
export type QueuedVariables = (mail: QueuedMail) => Record<string, string>

export function createQueuedVariables(config: Config): QueuedVariables {
  const keys = deriveKeys(config.accessTokens).outbox
  return (mail) => {
    const variables: Record<string, string> = JSON.parse(unseal(mail.sealedVariables ?? '', keys))
    // Version 0.1.0 queued these mails without the link that their templates need.
    const { code = '' } = variables
    if (mail.template === 'verification')
      variables.verification_url ??= pageLink(config, 'verify-email', code)
    if (mail.template === 'password_reset') variables.reset_url ??= pageLink(config, 'reset-password', code)
    return variables
  }
}
