import { trusted } from '../model.js'
import { canonicalEmail, isEmail, isStrong } from '../validity.js'
import { badMailedToken, invalid } from './expected.js'

/** @typedef {import('./expected.js').Rule} Rule */
/** @typedef {import('../model.js').User} User */

/** @type {Rule} */
const verify = (model, { body }) => {
  const mail = model.mailOf('verification', body.token)
  if (!mail) return badMailedToken
  return {
    status: 200,
    apply: () => {
      mail.isLive = false
      Object.assign(mail.user, { isVerified: true, verifiedEmail: null })
      if (model.profile === 'b') model.mail(mail.user, 'notice')
    },
  }
}

/** @type {Rule} */
const reset = (model, { body }) => {
  if (!isStrong(body.new_password, model.profile)) return invalid
  const mail = model.mailOf('reset', body.token)
  if (!mail) return badMailedToken
  return {
    status: 200,
    apply: () => {
      const { user } = mail
      Object.assign(user, { password: body.new_password.normalize('NFC'), isFamiliar: false })
      if (trusted(user) === user.email) user.isVerified = true
      model.endSessions(user)
      model.voidTokens(user)
      model.mail(user, 'notice', trusted(user))
    },
  }
}

/** @type {Rule} */
const undo = (model, { body }) => {
  const mail = model.mailOf('undo', body.token)
  if (!mail) return badMailedToken
  return {
    status: 200,
    apply: () => {
      const { user, to: email } = mail
      // The others of its address, and all later ones.
      const isAfter = (/** @type {typeof mail} */ other) =>
        model.mails.indexOf(other) >= model.mails.indexOf(mail)
      for (const other of model.mails)
        if (other.user === user && other.kind === 'undo' && (other.to === email || isAfter(other)))
          other.isLive = false
      model.endSessions(user)
      model.voidTokens(user)
      if (user.isVerified && user.email !== email) model.mail(user, 'notice')
      Object.assign(user, { email, isVerified: true, verifiedEmail: null })
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
  (model, { body: { email } }) => {
    const isRight = isEmail(email)
    if (isRight === false) return invalid
    const user =
      kind === 'reset'
        ? model.users.find((user) => trusted(user) === canonicalEmail(email))
        : model.ownerOf(email)
    const accepted = {
      status: 202,
      apply: () => {
        if (user && !(kind === 'verification' && user.isVerified))
          model.mail(user, kind, kind === 'reset' ? trusted(user) : user.email)
      },
    }
    return isRight ? accepted : [accepted, invalid]
  }

/** @type {Record<string, Rule>} */
export const mails = {
  'POST /api/v1/auth/verify-email': verify,
  'POST /api/v1/auth/reset-password': reset,
  'POST /api/v1/auth/undo-email-change': undo,
  'POST /api/v1/auth/forgot-password': request('reset'),
  'POST /api/v1/auth/resend-verification': request('verification'),
}
