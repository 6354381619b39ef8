import type { Addition } from '../context.ts'
import { signInTokens } from '../db/schema/sign-in-tokens.ts'
import { hasFactor, removeFactors } from '../sign-in/factors.ts'
import { askForFactor } from '../sign-in/pending-logins.ts'
import { forgetPassed } from '../sign-in/prove.ts'
import { endTokens } from '../sign-in/tokens.ts'
import { keepResetToken, nameAdditions } from '../sign-in/undo-additions.ts'

/** Puts second factors into logins, and into what ends access or gives an account back. */
export const signIn: Addition = (ctx) => {
  ctx.loginSteps.push(askForFactor)
  ctx.hasSecondFactor = hasFactor
  ctx.endsWithSessions.push(endTokens, forgetPassed)
  ctx.onReset = keepResetToken
  ctx.tokenEmails.reset = nameAdditions(ctx)
  ctx.expiringRows.push({ table: signInTokens, key: signInTokens.id, time: signInTokens.expiresAt })
  ctx.waysIn.push((tx, userId, since) => removeFactors(tx, userId, { since }))
}
