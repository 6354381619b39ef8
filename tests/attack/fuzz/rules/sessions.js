import { badToken, noToken, refused, same } from './expected.js'

/** @typedef {import('./expected.js').Rule} Rule */
/** @typedef {import('./expected.js').Session} Session */

const badRefreshToken = refused(401, 'invalid_refresh_token')

/** @type {Rule} */
const refresh = (model, { body: { refresh_token: token } }) => {
  const session = model.sessions.find(({ refresh }) => refresh.includes(token))
  if (!session?.isLive) return badRefreshToken
  const age = session.refresh.length - 1 - session.refresh.indexOf(token)
  if (age > 0 && !(age === 1 && model.hasGrace)) {
    // It may be stolen: its session ends.
    return { ...badRefreshToken, apply: () => model.endSession(session) }
  }
  return {
    status: 200,
    apply: (tokens) => {
      session.access.push(tokens.access_token)
      if (age === 1) same(tokens.refresh_token, session.refresh.at(-1))
      else session.refresh.push(tokens.refresh_token)
      same(new Set(session.refresh).size, session.refresh.length)
    },
  }
}

/** @type {Rule} */
const logout = (model, { body, caller }) => {
  const token = body?.refresh_token
  const session = token === undefined ? caller : model.sessions.find(({ refresh }) => refresh.includes(token))
  if (token === undefined && !caller) return [noToken, badToken]
  // In profile A, it ends what a cookie names.
  if (model.profile === 'a') return refused(404, 'not_found')
  return {
    status: 204,
    apply: () => {
      // Not a change that it asked for.
      if (session) session.isLive = false
    },
  }
}

/** @type {Rule} */
const logoutAll = (model, { caller }) => ({
  status: 204,
  apply: () => {
    const { user } = /** @type {Session} */ (caller)
    model.endSessions(user)
    model.voidTokens(user)
  },
})

/** @type {Rule} */
const listDevices = (model, { caller }) => ({
  status: 200,
  apply: ({ devices }) => {
    const live = model.liveSessions(/** @type {Session} */ (caller).user).reverse()
    same(
      devices.map((/** @type {any} */ device) => [
        device.id,
        device.device_name,
        device.device_type,
        device.is_current,
        device.last_used_at !== null,
      ]),
      live.map((session) => [
        session.id,
        session.deviceName,
        session.deviceType,
        session === caller,
        session.refresh.length > 1,
      ]),
    )
  },
})

/** @type {Rule} */
const endOtherDevices = (model, { caller }) => ({
  status: 204,
  apply: () => {
    const { user } = /** @type {Session} */ (caller)
    for (const session of model.liveSessions(user)) if (session !== caller) model.endSession(session)
    model.voidTokens(user)
  },
})

/** @type {Rule} */
const endDevice = (model, { caller, params }) => {
  const own = model.liveSessions(/** @type {Session} */ (caller).user)
  const session = own.find(({ id }) => String(id) === params.id)
  return session ? { status: 204, apply: () => model.endSession(session) } : refused(404, 'not_found')
}

/** @type {Record<string, Rule>} */
export const sessions = {
  'POST /api/v1/auth/refresh': refresh,
  'POST /api/v1/auth/logout': logout,
  'POST /api/v1/auth/logout-all': logoutAll,
  'GET /api/v1/auth/devices': listDevices,
  'DELETE /api/v1/auth/devices': endOtherDevices,
  'DELETE /api/v1/auth/devices/{id}': endDevice,
}
