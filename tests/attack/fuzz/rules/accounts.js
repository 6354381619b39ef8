import { canonicalEmail, isEmail, isStrong, isUsername, withoutSpaces } from '../validity.js'
import { lastVerified, trusted } from '../world.js'
import { badCredentials, invalid, refused, same } from './expected.js'

/** @typedef {import('./expected.js').Rule} Rule */
/** @typedef {import('../world.js').User} User */

const taken = refused(409, 'already_registered')
const wrongPassword = refused(403, 'invalid_credentials')

/** @param {import('../world.js').World} world @param {User} user @param {any} body */
function sameUser({ isComplete }, user, { created_at: _created, ...body }) {
  const { id, email, username, isVerified } = user
  same(body, { id, email, username, is_active: true, ...(isComplete && { is_verified: isVerified }) })
}

/** @type {Rule} */
const register = (world, { body }) => {
  const isRight = isEmail(body.email)
  if (isRight === false || !isUsername(body.username) || !isStrong(body.password, world.profile))
    return invalid
  if (world.userOf(body.username) || world.isTaken(body.email)) return isRight ? taken : [taken, invalid]
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
        world.users.some(({ id }) => id === user.id),
        false,
      )
      world.users.push(user)
      world.mail(user, 'verification')
      sameUser(world, user, answer)
    },
  }
  // Another sequence may have registered an address that the generator repeats.
  return isRight ? created : [created, invalid, taken]
}

/** @type {Rule} */
const login = (world, { body }) => {
  if ((body.username === undefined) === (body.email === undefined)) return invalid
  const name = body.username ?? body.email
  const user = world.userOf(name)
  if (!user || user.password !== body.password.normalize('NFC')) return badCredentials
  const device = { deviceName: body.device_name, deviceType: body.device_type }
  const loggedIn = {
    status: 200,
    apply: (/** @type {any} */ tokens) => {
      const to = lastVerified(user)
      if (!user.isFamiliar && to !== null) world.mail(user, 'notice', to)
      user.isFamiliar = true
      world.startSession(user, tokens, device)
    },
  }
  return name.includes('@') && !isEmail(name) ? [loggedIn, badCredentials] : loggedIn
}

/** @type {Rule} */
const readMe = (world, { caller }) => ({
  status: 200,
  apply: (body) => sameUser(world, /** @type {any} */ (caller).user, body),
})

/** @type {Rule} */
const changeEmail = (world, { caller, body }) => {
  const { user } = /** @type {import('../world.js').Session} */ (caller)
  const isRight = isEmail(body.email)
  if (isRight === false) return invalid
  const unchanged = { status: 200, apply: (/** @type {any} */ answer) => sameUser(world, user, answer) }
  const owner = world.ownerOf(body.email)
  if (owner === user) return isRight ? unchanged : [unchanged, invalid]
  const { current_password: password } = body
  if (password !== undefined && password.normalize('NFC') !== user.password)
    return isRight ? wrongPassword : [wrongPassword, invalid]
  if (world.isTaken(body.email, user)) return isRight ? taken : [taken, invalid]
  const changed = {
    status: 200,
    apply: (/** @type {any} */ answer) => {
      const verified = lastVerified(user)
      const email = canonicalEmail(body.email)
      const isBack = world.isComplete && email === verified
      world.voidTokens(user)
      if (!isBack) world.mail(user, verified === null ? 'notice' : 'undo', trusted(user))
      Object.assign(user, { email, isVerified: isBack, verifiedEmail: isBack ? null : verified })
      if (!isBack) world.mail(user, 'verification')
      sameUser(world, user, answer)
    },
  }
  return isRight ? changed : [changed, invalid, taken]
}

/** @type {Rule} */
const deleteAccount = (world, { caller, body }) => {
  const { user } = /** @type {import('../world.js').Session} */ (caller)
  const password = body?.current_password
  if (password !== undefined && password.normalize('NFC') !== user.password) return wrongPassword
  return {
    status: 204,
    apply: () => {
      const verified = world.verifiedEmails(user)
      world.remove(user)
      for (const to of verified) world.mail(user, 'notice', to)
    },
  }
}

/** @type {Rule} */
const exportAccount = (world, { caller }) => ({
  status: 200,
  apply: (body) => {
    const { user } = /** @type {import('../world.js').Session} */ (caller)
    const { id, email, username, verifiedEmail } = user
    same([body.user.id, body.user.email, body.user.username], [id, email, username])
    if (!world.isComplete) return
    same(body.user.verified_email, verifiedEmail)
    const live = body.sessions.filter((/** @type {any} */ session) => session.is_revoked !== true)
    same(
      new Set(live.map((/** @type {any} */ session) => session.id)),
      new Set(world.liveSessions(user).map((session) => session.id)),
    )
  },
})

/** @type {Rule} */
const changePassword = (world, { caller, body }) => {
  const { user, deviceName, deviceType } = /** @type {import('../world.js').Session} */ (caller)
  const given = body.current_password.normalize('NFC')
  const next = body.new_password.normalize('NFC')
  if (!isStrong(next, world.profile) || given === next) return invalid
  if (given !== user.password) return wrongPassword
  return {
    status: 200,
    apply: (tokens) => {
      user.password = next
      world.endSessions(user)
      world.voidTokens(user)
      world.mail(user, 'notice', trusted(user))
      user.isFamiliar = false
      world.startSession(user, tokens, { deviceName, deviceType })
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
