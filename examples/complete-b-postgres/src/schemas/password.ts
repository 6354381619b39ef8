import { passwordRules } from '../accounts/passwords.ts'
import type { Config } from '../config.ts'
import { text } from './text.ts'

/** A password that somebody claims to have. Rules for new ones do not apply: they may have been others before. */
export const givenPassword = text().meta({ examples: ['Correct-Horse-7'] })

/** A password to be. Every rule that it breaks is one entry of the answer's `errors`. */
export function newPassword(settings: Config['credentials']) {
  const rules = passwordRules(settings)
  return text()
    .superRefine((password, context) => {
      for (const { code, message, holds } of rules) {
        if (holds(password.normalize('NFC'))) continue
        context.addIssue({ code: 'custom', message, params: { code, problem: 'weak_password' } })
      }
    })
    .meta({ examples: ['Correct-Horse-7'] })
}
