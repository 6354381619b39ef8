import type { Config } from '../config.ts'
import type { ProblemName } from '../errors/api-error.ts'
import { passwordRules } from '../passwords/passwords.ts'
import { examplePassword, normalizePassword } from '../passwords/rule.ts'
import * as validators from '../passwords/validators/index.ts'
import type { PasswordValidator } from '../passwords/validators/types.ts'
import { text } from './text.ts'

/** An existing password. The rules for new passwords do not apply: it may have been set under other rules. */
export const givenPassword = (settings: Config['credentials']) =>
  text().meta({ examples: [examplePassword(settings)] })

/** A new password. Every rule that it breaks becomes one entry in `errors` of the response. */
export function newPassword(settings: Config['credentials']) {
  const rules = passwordRules(settings)
  return text()
    .superRefine((password, context) => {
      const normalized = normalizePassword(password)
      for (const { code, message, holds } of rules) {
        if (holds(normalized)) continue
        context.addIssue({ code: 'custom', message, params: { code, problem: 'weak_password' } })
      }
    })
    .meta({ examples: [examplePassword(settings)] })
}

/** The errors of a new password, for the OpenAPI document. */
export const newPasswordProblems: ProblemName[] = [
  'weak_password',
  ...Object.values<PasswordValidator>(validators).map(({ problem }) => problem),
]
