import { lastVerified, trusted } from '../model.js'
import { canonicalEmail, isEmail, isStrong, isUsername, withoutSpaces } from '../validity.js'
import { badCredentials, invalid, refused, same } from './expected.js'

/** @typedef {import('./expected.js').Rule} Rule */
/** @typedef {import('../model.js').User} User */

const taken = refused(409, 'already_registered')
const wrongPassword = refused(403, 'invalid_credentials')

/** @param {import('../model.js').Model} model @param {User} user @param {any} body */
function sameUser({ isComplete }, user, { created_at: _created, ...body }) {
  const { id, email, username, isVerified } = user
  same(body, { id, email, username, is_active: true, ...(isComplete && { is_verified: isVerified }) })
}

/** @type {Rule} */
const register = (model, { body }) => {
  const isRight = isEmail(body.email)
  if (isRight === false || !isUsername(body.username) || !isStrong(body.password, model.profile))
    return invalid
  const isRetired = model.retiredNames.has(withoutSpaces(body.username).toLowerCase())
  if (isRetired || model.userOf(body.username) || model.isTaken(body.email))
    return isRight ? taken : [taken, invalid]
  const created = {
    status: 201,
    apply: (/** @type {any} */ answer) => {
      const user = {
        id: answer.id,
        username: withoutSpaces(body.username),
        email: canonicalEmail(body.email),
        password: body.password.normalize('NFC'),
        isVerified: false,
        verifiedEmail: null,
        isFamiliar: true,
      }
      same(
        model.users.some(({ id }) => id === user.id),
        false,
      )
      model.users.push(user)
      model.mail(user, 'verification')
      sameUser(model, user, answer)
    },
  }
  // Another sequence may have registered an address that the generator repeats.
  return isRight ? created : [created, invalid, taken]
}

/** @type {Rule} */
const login = (model, { body }) => {
  if ((body.username === undefined) === (body.email === undefined)) return invalid
  const name = body.username ?? body.email
  const user = model.userOf(name)
  if (!user || user.password !== body.password.normalize('NFC')) return badCredentials
  const device = { deviceName: body.device_name, deviceType: body.device_type }
  const loggedIn = {
    status: 200,
    apply: (/** @type {any} */ tokens) => {
      const to = lastVerified(user)
      if (!user.isFamiliar && to !== null) model.mail(user, 'notice', to)
      user.isFamiliar = true
      model.startSession(user, tokens, device)
    },
  }
  return name.includes('@') && !isEmail(name) ? [loggedIn, badCredentials] : loggedIn
}

/** @type {Rule} */
const readMe = (model, { caller }) => ({
  status: 200,
  apply: (body) => sameUser(model, /** @type {any} */ (caller).user, body),
})

/** @type {Rule} */
const changeEmail = (model, { caller, body }) => {
  const { user } = /** @type {import('../model.js').Session} */ (caller)
  const isRight = isEmail(body.email)
  if (isRight === false) return invalid
  const unchanged = { status: 200, apply: (/** @type {any} */ answer) => sameUser(model, user, answer) }
  const owner = model.ownerOf(body.email)
  if (owner === user) return isRight ? unchanged : [unchanged, invalid]
  const { current_password: password } = body
  if (password !== undefined && password.normalize('NFC') !== user.password)
    return isRight ? wrongPassword : [wrongPassword, invalid]
  if (model.isTaken(body.email, user)) return isRight ? taken : [taken, invalid]
  const changed = {
    status: 200,
    apply: (/** @type {any} */ answer) => {
      const verified = lastVerified(user)
      const email = canonicalEmail(body.email)
      const isBack = model.isComplete && email === verified
      model.voidTokens(user)
      if (!isBack) model.mail(user, verified === null ? 'notice' : 'undo', trusted(user))
      Object.assign(user, { email, isVerified: isBack, verifiedEmail: isBack ? null : verified })
      if (!isBack) model.mail(user, 'verification')
      sameUser(model, user, answer)
    },
  }
  return isRight ? changed : [changed, invalid, taken]
}

/** @type {Rule} */
const deleteAccount = (model, { caller, body }) => {
  const { user } = /** @type {import('../model.js').Session} */ (caller)
  const password = body?.current_password
  if (password !== undefined && password.normalize('NFC') !== user.password) return wrongPassword
  return {
    status: 204,
    apply: () => {
      const verified = model.verifiedEmails(user)
      model.remove(user)
      for (const to of verified) model.mail(user, 'notice', to)
    },
  }
}

/** @type {Rule} */
const exportAccount = (model, { caller }) => ({
  status: 200,
  apply: (body) => {
    const { user } = /** @type {import('../model.js').Session} */ (caller)
    const { id, email, username, verifiedEmail } = user
    same([body.user.id, body.user.email, body.user.username], [id, email, username])
    if (!model.isComplete) return
    same(body.user.verified_email, verifiedEmail)
    const live = body.sessions.filter((/** @type {any} */ session) => session.is_revoked !== true)
    same(
      new Set(live.map((/** @type {any} */ session) => session.id)),
      new Set(model.liveSessions(user).map((session) => session.id)),
    )
  },
})

/** @type {Rule} */
const changePassword = (model, { caller, body }) => {
  const { user, deviceName, deviceType } = /** @type {import('../model.js').Session} */ (caller)
  const given = body.current_password.normalize('NFC')
  const next = body.new_password.normalize('NFC')
  if (!isStrong(next, model.profile) || given === next) return invalid
  if (given !== user.password) return wrongPassword
  return {
    status: 200,
    apply: (tokens) => {
      user.password = next
      model.endSessions(user)
      model.voidTokens(user)
      model.mail(user, 'notice', trusted(user))
      user.isFamiliar = false
      model.startSession(user, tokens, { deviceName, deviceType })
    },
  }
}

/** @type {Record<string, Rule>} */
export const accounts = {
  'POST /api/v1/auth/register': register,
  'POST /api/v1/auth/login': login,
  'GET /api/v1/users/me': readMe,
  'PUT /api/v1/users/me': changeEmail,
  'DELETE /api/v1/users/me': deleteAccount,
  'GET /api/v1/users/me/export': exportAccount,
  'POST /api/v1/auth/change-password': changePassword,
}
