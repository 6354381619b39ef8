import { canonicalEmail, isEmail, isStrong, isUsername, withoutSpaces } from '../validity.js'
import { badCredentials, invalid, refused, same } from './expected.js'

/** @typedef {import('./expected.js').Rule} Rule */
/** @typedef {import('../model.js').User} User */

const taken = refused(409, 'already_registered')
const wrongPassword = refused(403, 'invalid_credentials')

/** @param {import('../model.js').Model} model @param {User} user @param {any} body */
function sameUser(model, user, { created_at: _created, ...body }) {
  const { id, email, username, isVerified } = user
  const pending = model.pendingOf(user)
  same(body, {
    id,
    email,
    username,
    is_active: true,
    ...(model.isComplete && { is_verified: isVerified }),
    ...(pending && { pending_email: pending.to }),
  })
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
      if (!user.isFamiliar && user.isVerified) model.mail(user, 'notice')
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
  const session = /** @type {import('../model.js').Session} */ (caller)
  const { user } = session
  const isRight = isEmail(body.email)
  if (isRight === false) return invalid
  const unchanged = {
    status: 200,
    apply: (/** @type {any} */ answer) => {
      model.voidTokens(user, ['confirm'])
      sameUser(model, user, answer)
    },
  }
  const owner = model.ownerOf(body.email)
  if (owner === user) return isRight ? unchanged : [unchanged, invalid]
  const { current_password: password } = body
  if (password !== undefined && password.normalize('NFC') !== user.password)
    return isRight ? wrongPassword : [wrongPassword, invalid]
  if (model.isTaken(body.email, user)) return isRight ? taken : [taken, invalid]
  const changed = {
    status: 200,
    apply: (/** @type {any} */ answer) => {
      const email = canonicalEmail(body.email)
      if (!model.isComplete) user.email = email
      if (!user.isVerified) model.voidTokens(user, ['verification'])
      model.mail(user, 'confirm', email, session)
      model.mail(user, 'notice')
      sameUser(model, user, answer)
    },
  }
  return isRight ? changed : [changed, invalid, taken]
}

/** @type {Rule} */
const deleteAccount = (model, { caller, body }) => {
  const { user } = /** @type {import('../model.js').Session} */ (caller)
  const password = body?.current_password
  if (password === undefined) return refused(403, 'reauthentication_required')
  if (password.normalize('NFC') !== user.password) return wrongPassword
  const isUndo = model.mails.some((mail) => mail.user === user && mail.kind === 'undo' && mail.isLive)
  if (isUndo) return refused(409, 'email_change_can_be_undone')
  return {
    status: 204,
    apply: () => {
      model.remove(user)
      if (user.isVerified) model.mail(user, 'notice')
    },
  }
}

/** @type {Rule} */
const exportAccount = (model, { caller }) => ({
  status: 200,
  apply: (body) => {
    const { user } = /** @type {import('../model.js').Session} */ (caller)
    const { id, email, username } = user
    same([body.user.id, body.user.email, body.user.username], [id, email, username])
    if (!model.isComplete) return
    same(body.user.pending_email, model.pendingOf(user)?.to)
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
      model.mail(user, 'notice')
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
