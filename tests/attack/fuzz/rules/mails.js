import { isEmail, isStrong } from '../validity.js'
import { badMailedToken, invalid, noToken } from './expected.js'

/** @typedef {import('./expected.js').Rule} Rule */
/** @typedef {import('../model.js').User} User */

/** @type {Rule} */
const verify = (model, { body, caller }) => {
  const mail = model.mailOf('verification', body.token)
  if (!mail) return confirm(model, body.token, caller)
  return {
    status: 200,
    apply: () => {
      mail.isLive = false
      mail.user.isVerified = true
      if (model.profile === 'b') model.mail(mail.user, 'notice')
    },
  }
}

/**
 * A change needs the login of its user.
 * @param {import('../model.js').Model} model
 * @param {string} token
 * @param {import('../model.js').Session | undefined} caller
 */
function confirm(model, token, caller) {
  const mail = model.mailOf('confirm', token)
  if (!mail) return badMailedToken
  if (!caller) return noToken
  const { user, to } = mail
  if (caller.user !== user || model.isTaken(to, user)) return badMailedToken
  return {
    status: 200,
    apply: () => {
      const { email: former, isVerified } = user
      const ended = model.undosFrom(user, to)
      for (const undo of ended) undo.isLive = false
      model.voidTokens(user)
      Object.assign(user, { email: to, isVerified: true })
      model.mail(user, isVerified && ended.length === 0 ? 'undo' : 'notice', former)
      if (!isVerified && model.profile === 'b') model.mail(user, 'notice')
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
      const password = body.new_password.normalize('NFC')
      Object.assign(user, { password, isFamiliar: false, isVerified: true })
      model.endSessions(user)
      model.voidTokens(user)
      model.mail(user, 'notice')
    },
  }
}

/** @type {Rule} */
const logIn = (model, { body }) => {
  const mail = model.mailOf('login', body.token)
  if (!mail) return badMailedToken
  const { user } = mail
  return {
    status: 200,
    apply: (tokens) => {
      mail.isLive = false
      // Whoever registered the address may be a stranger.
      if (!user.isVerified) {
        model.endSessions(user)
        model.voidTokens(user)
        model.mail(user, 'notice')
        Object.assign(user, { password: null, isVerified: true, isFamiliar: false })
      }
      if (!user.isFamiliar) model.mail(user, 'notice')
      user.isFamiliar = true
      model.startSession(user, tokens)
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
      for (const other of model.undosFrom(user, email)) other.isLive = false
      model.endSessions(user)
      model.voidTokens(user)
      if (user.email !== email) model.mail(user, 'notice')
      Object.assign(user, { email, isVerified: true, password: null, isFamiliar: false })
      model.mail(user, 'reset')
    },
  }
}

/**
 * Whoever asks gets the same answer. The mail comes later: a sequence waits for it.
 * @param {'verification' | 'reset' | 'login'} kind
 * @returns {Rule}
 */
const request =
  (kind) =>
  (model, { body: { email } }) => {
    const isRight = isEmail(email)
    if (isRight === false) return invalid
    const user = model.ownerOf(email)
    const accepted = {
      status: 202,
      apply: () => {
        if (user && (kind !== 'verification' || !(user.isVerified || model.pendingOf(user))))
          model.mail(user, kind)
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
  'POST /api/v1/auth/email-login': request('login'),
  'POST /api/v1/auth/email-login/confirm': logIn,
}
