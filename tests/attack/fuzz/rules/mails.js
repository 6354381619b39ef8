import { isEmail, isStrong } from '../validity.js'
import { badMailedToken, invalid } from './expected.js'

/** @typedef {import('./expected.js').Rule} Rule */
/** @typedef {import('../world.js').User} User */

/** @type {Rule} */
const verify = (world, { body }) => {
  const mail = world.mailOf('verification', body.token)
  if (!mail) return badMailedToken
  return {
    status: 200,
    apply: () => {
      mail.isLive = false
      mail.user.isVerified = true
      if (world.profile === 'b') world.mail(mail.user, 'notice')
    },
  }
}

/** @type {Rule} */
const reset = (world, { body }) => {
  if (!isStrong(body.new_password, world.profile)) return invalid
  const mail = world.mailOf('reset', body.token)
  if (!mail) return badMailedToken
  return {
    status: 200,
    apply: () => {
      mail.user.password = body.new_password.normalize('NFC')
      world.endSessions(mail.user)
      world.voidTokens(mail.user)
      world.mail(mail.user, 'notice')
    },
  }
}

/**
 * Whoever asks gets the same answer. The mail comes later: a sequence waits for it.
 * @param {'verification' | 'reset'} kind
 * @returns {Rule}
 */
const request =
  (kind) =>
  (world, { body: { email } }) => {
    const isRight = isEmail(email)
    if (isRight === false) return invalid
    const user = world.ownerOf(email)
    const accepted = {
      status: 202,
      apply: () => {
        if (user && !(kind === 'verification' && user.isVerified)) world.mail(user, kind)
      },
    }
    return isRight ? accepted : [accepted, invalid]
  }

/** @type {Record<string, Rule>} */
export const mails = {
  'POST /api/v1/auth/verify-email': verify,
  'POST /api/v1/auth/reset-password': reset,
  'POST /api/v1/auth/forgot-password': request('reset'),
  'POST /api/v1/auth/resend-verification': request('verification'),
}
