/**
 * The model of a service's accounts, as the API contract describes them: plain data, so that a step can be tried on a
 * copy. Texts of tokens are what the service gave out; the model finds things by them, as the service does.
 * @typedef {object} State
 * @property {number} now milliseconds since 1970
 * @property {Settings} settings
 * @property {User[]} users
 * @property {string[]} formerNames of deleted users, in lower case
 * @property {Session[]} sessions
 * @property {Token[]} tokens sent by email, or printed by a command
 * @property {import('./sign-in.js').SignInToken[]} signInTokens
 * @property {Email[]} queue not handed to the mail server
 * @property {{ kind: 'verification' | 'reset' | 'login', email: string }[]} waiting requests for emails
 * @property {Record<string, { count: number, endsAt: number }>} counts of emails
 * @property {number} lastKey
 */

/**
 * @typedef {object} Settings
 * @property {'a' | 'b'} profile
 * @property {AddOns} addOns
 * @property {number} accessSeconds
 * @property {number} idleSeconds
 * @property {number} emailSeconds the lifetime of a verification and of a request
 */

/** Those of which the model has rules. @typedef {{ totp: boolean, passkeys: boolean, emailLogin: boolean, cookies: boolean, oidc: boolean }} AddOns */

/**
 * @typedef {object} User
 * @property {number} key
 * @property {string} name
 * @property {boolean} [isUnnamed] the service made a name that it has not told yet: nobody can use it
 * @property {string} email registered, or proved
 * @property {string | null} password null: it is unusable
 * @property {boolean} isVerified
 * @property {boolean} isActive
 * @property {boolean} [isImported] an operator imported them
 * @property {boolean} isClaimed false: a registration that ends unless someone verifies it or logs in
 * @property {number} createdAt
 * @property {Request | null} request for another address
 * @property {import('./factors.js').Factors} factors
 */

/** @typedef {{ email: string, token: number, session: number, expiresAt: number }} Request */

/**
 * @typedef {object} Session
 * @property {number} key
 * @property {number} [id]
 * @property {number} user
 * @property {number} startedAt
 * @property {number} loggedInAt
 * @property {number} expiresAt
 * @property {number} endsAt however much it is used
 * @property {number} [usedAt] when it was extended
 * @property {boolean} isEnded
 * @property {boolean} isMfa whether it has passed the second factor
 * @property {boolean} isByRecovery whether it did so with a recovery code
 * @property {{ text: string, expiresAt: number }[]} access
 * @property {string[]} refresh the last one is valid
 */

/**
 * `change` confirms a new address. `isEmailed` is false for an operator's link. `changedAt` belongs to `undo`.
 * @typedef {object} Token
 * @property {number} key
 * @property {'verification' | 'change' | 'reset' | 'undo' | 'login'} kind
 * @property {number} user
 * @property {string} email the address that it belongs to
 * @property {number} expiresAt
 * @property {boolean} isVoid
 * @property {boolean} isEmailed
 * @property {number} changedAt
 * @property {string} [text] unknown until the email has arrived
 */

/**
 * `isOptional`: the contract leaves open whether it is sent.
 * @typedef {object} Email
 * @property {string} kind
 * @property {string} to
 * @property {number} user
 * @property {string} name of the account
 * @property {number} [token]
 * @property {number | undefined} [about] the token without which a notice says nothing
 * @property {boolean} isOptional
 */

const hourMs = 60 * 60_000
export const dayMs = 24 * hourMs

export const noAddOns = { totp: false, passkeys: false, emailLogin: false, cookies: false, oidc: false }

/** @param {'a' | 'b'} profile @param {number} now @param {AddOns} addOns @returns {State} */
export const newState = (profile, now, addOns) => ({
  now,
  settings: {
    profile,
    addOns,
    accessSeconds: 1_800,
    idleSeconds: profile === 'a' ? 7 * 86_400 : 86_400,
    emailSeconds: 3_600,
  },
  users: [],
  formerNames: [],
  sessions: [],
  tokens: [],
  signInTokens: [],
  queue: [],
  waiting: [],
  counts: {},
  lastKey: 0,
})

/** @param {State} state */
export const newKey = (state) => {
  state.lastKey += 1
  return state.lastKey
}

/** @param {State} state @param {string} login a name or an email, as typed */
export const userByLogin = ({ users }, login) =>
  users.find(
    (user) =>
      (!user.isUnnamed && user.name.toLowerCase() === login.toLowerCase()) ||
      user.email === login.toLowerCase(),
  )

/** @param {State} state @param {string} email */
export const userByEmail = ({ users }, email) => users.find((user) => user.email === email.toLowerCase())

/** @param {State} state @param {number} key */
export const userByKey = ({ users }, key) => users.find((user) => user.key === key)

/** @param {State} state @param {string} name */
export const isNameTaken = ({ users, formerNames }, name) =>
  formerNames.includes(name.toLowerCase()) ||
  users.some((user) => user.name.toLowerCase() === name.toLowerCase())

/** @param {State} state @param {Token} token */
export const isLive = ({ now }, token) => !token.isVoid && token.expiresAt > now

/** The undo tokens of a user that work, those of earlier changes first. @param {State} state @param {User} user */
export const undoTokens = (state, user) =>
  state.tokens.filter((token) => token.kind === 'undo' && token.user === user.key && isLive(state, token))

/** The request of a user that waits. @param {State} state @param {User} user */
export const requestOf = ({ now }, { request }) => (request && request.expiresAt > now ? request : undefined)

/**
 * Whether an address is in use, or is a former one that its user can have back.
 * @param {State} state @param {string} email @param {User} [user] for whom their own former addresses are free
 */
export function isTaken(state, email, user) {
  const address = email.toLowerCase()
  const isReserved = state.tokens.some(
    (token) =>
      token.kind === 'undo' && token.email === address && token.user !== user?.key && isLive(state, token),
  )
  return isReserved || state.users.some((other) => other !== user && other.email === address)
}

/**
 * @param {State} state
 * @param {{ name: string, email: string, password: string | null, isVerified?: boolean, isActive?: boolean, isClaimed?: boolean }} user
 * @returns {User}
 */
export function addUser(state, { isVerified = false, isActive = true, isClaimed = true, ...user }) {
  const email = user.email.toLowerCase()
  /** @type {import('./factors.js').Factors} */
  const factors = { totp: null, codes: [], spent: [], passkeys: [], identities: [], wrong: {}, passed: {} }
  const about = { key: newKey(state), createdAt: state.now, request: null, factors }
  const added = { ...user, ...about, email, isVerified, isActive, isClaimed }
  state.users.push(added)
  return added
}

/** Whether something was added since then. @param {User} user @param {number} since */
export const hasAdded = ({ factors: { totp, passkeys, identities } }, since) =>
  [...(totp ? [totp] : []), ...passkeys, ...identities].some(({ createdAt }) => createdAt >= since)
