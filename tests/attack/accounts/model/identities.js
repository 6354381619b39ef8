import { callerOf, isOpen, refused, verifiedCallerOf } from './access.js'
import { badToken } from './changes.js'
import { emailToken, notify } from './emails.js'
import { addToken, endTokens, findToken, goOn, learnToken, pending } from './sign-in.js'
import { addUser, isNameTaken, isTaken, userByKey } from './state.js'
import { confirmAddition, removeWayIn } from './ways-in.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').User} User */
/** @typedef {import('./access.js').Answer} Answer */
/** @typedef {import('./api.js').Rule} Rule */
/** @typedef {import('./sign-in.js').SignInToken} SignInToken */
/** @typedef {import('./emails.js').Either} Either */

/** What ends a flow without a code, as the front end is told. @param {string} code */
const ended = (code) => refused(400, code)

/** Whether an instance believes the provider that it has verified an address. @param {number} instance */
export const isTrusting = (instance) => instance === 0

/** What a provider sends instead of the truth, or somebody between it and the service. */
export const lies = [
  ...['issuer', 'audience', 'nonce', 'expired', 'alg none', 'no subject', 'userinfo'],
  ...['state', 'browser', 'iss', 'stolen code', 'denied'],
]

/** @param {string} lie */
const endOf = (lie) => ended(lie === 'denied' ? 'access_denied' : 'invalid_answer')

/** @param {State} state @param {string} subject */
export const ownerOf = ({ users }, subject) =>
  users.find(({ factors }) => factors.identities.some((each) => each.subject === subject))

/** Notes the name that the service made for a user. @param {User} user */
export const learnName =
  ({ key }) =>
  (/** @type {State} */ { users, queue }, /** @type {any} */ { username: name }) => {
    for (const user of users.filter((each) => each.key === key))
      Object.assign(user, { name, isUnnamed: false })
    for (const email of queue) if (email.user === key) email.name = name
  }

/**
 * A token that one end of a flow has shown. Whether one lives on after its session is left open.
 * @param {State} state @param {'link' | 'code'} kind @param {string} text @param {Either} either
 */
function flowToken(state, kind, text, either) {
  const isIt = (/** @type {SignInToken} */ each) => each.text === text
  const token = state.signInTokens.findLast((each) => each.kind === kind && isIt(each))
  const session = state.sessions.find(({ key }) => key === token?.session)
  if (token?.isVoid === false && session && !isOpen(state, session)) token.isVoid = 'open'
  return findToken(state, kind, isIt, either)
}

/**
 * The one-time code that a callback leads to. The same callback again leads to none.
 * @param {State} state @param {any} given @param {Partial<SignInToken>} about @returns {Answer}
 */
function giveCode(state, { subject, email, isTwice }, about) {
  const at = { subject, email: email?.toLowerCase() ?? null }
  const token = addToken(state, { kind: 'code', ...at, ...about })
  return {
    status: 200,
    body: isTwice ? { again: 'invalid_answer' } : {},
    learn: learnToken(token, ({ provider_code: text }) => ({ text })),
  }
}

/** Someone goes to the provider and comes back, in one browser. @type {Rule} */
function visit(state, given, { either, isTrusting }) {
  const { subject, name, lie, verified, verifier } = given
  if (lie) return endOf(lie)
  const known = ownerOf(state, subject)
  // They may be inactive: the exchange says so.
  if (known) return giveCode(state, given, { user: known.key, verifier })
  if (!given.email) return ended('email_missing')
  const email = given.email.toLowerCase()
  if (isTaken(state, email)) return ended('account_exists')
  const isVerified = verified === true && isTrusting
  const isFree = !isNameTaken(state, name)
  const user = addUser(state, { name, email, password: null, isVerified, isClaimed: isVerified })
  if (!isFree) Object.assign(user, { name: `unnamed-${user.key}`, isUnnamed: true })
  user.factors.identities.push({ id: 0, subject, email, createdAt: state.now })
  if (!isVerified) emailToken(state, 'verification', user, email, either)
  return giveCode(state, given, { user: user.key, verifier })
}

/** Someone opens the address of a link, whoever they are, and comes back. @type {Rule} */
function visitLink(state, { link, lie, ...given }, { either }) {
  const token = flowToken(state, 'link', link, either)
  const user = token && userByKey(state, token.user ?? 0)
  if (!token || !user) return ended('invalid_answer')
  // The callback named another flow: this one is still there.
  token.isVoid = lie !== 'state'
  if (lie) return endOf(lie)
  const { session, verifier, emailed, isProved } = token
  return giveCode(state, given, { user: user.key, session, verifier, emailed, isProved })
}

/** @type {Rule} */
function startLink(state, { access, verifier, ...given }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { user, session } = caller
  const confirmed = confirmAddition(state, caller, given, either)
  if (confirmed.answer) return confirmed.answer
  const about = { verifier, emailed: confirmed.token.key, isProved: user.factors.totp !== null }
  const token = addToken(state, { kind: 'link', user: user.key, session: session.key, ...about })
  return { status: 200, learn: learnToken(token, ({ link: text }) => ({ text })) }
}

/** @type {Rule} */
function exchange(state, { oneTime, verifier, access }, { either }) {
  const token = flowToken(state, 'code', oneTime, either)
  const user = token && userByKey(state, token.user ?? 0)
  if (!token || !user) return badToken
  if (token.session !== undefined) {
    const caller = callerOf(state, access)
    // Whether that uses the code up is left open.
    token.isVoid = 'open'
    if (caller.answer || caller.session.key !== token.session) return { status: 401 }
  }
  token.isVoid = true
  if (verifier !== token.verifier) return badToken
  if (token.session !== undefined) return addIdentity(state, token, user, either)
  if (!user.factors.identities.some(({ subject }) => subject === token.subject)) return badToken
  if (user.isActive) return goOn(state, user)
  // They may be activated within its minute.
  token.isVoid = 'open'
  return refused(401, 'invalid_credentials')
}

/** @param {State} state @param {SignInToken} code @param {User} user @param {Either} either @returns {Answer} */
function addIdentity(state, code, user, either) {
  const { subject = '', email = null, emailed, isProved } = code
  const { factors } = user
  if (factors.totp && !isProved) return badToken
  if (ownerOf(state, subject)) {
    // The front end may try again, when it was removed there.
    code.isVoid = 'open'
    return refused(409, 'already_linked')
  }
  factors.identities.push({ id: 0, subject, email, createdAt: state.now })
  endTokens(state, user, pending)
  // The emailed token allowed one, however many flows it began.
  for (const token of state.signInTokens)
    if (token.key === emailed || token.emailed === emailed) token.isVoid = true
  notify(state, 'identity added', user.email, user, either)
  return { status: 204 }
}

/** @type {Rule} */
function listIdentities(state, { access }, { isStrict }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { key, factors } = caller.user
  const learn = (/** @type {State} */ after, /** @type {any} */ { identities }) => {
    const newestFirst = userByKey(after, key)?.factors.identities.toReversed() ?? []
    for (const [index, identity] of newestFirst.entries()) identity.id ||= identities[index].id
  }
  return { status: 200, body: { list: factors.identities.map(({ email }) => email) }, learn }
}

/** @type {Rule} */
function removeIdentity(state, { access, id, ...given }, { isStrict, either }) {
  const caller = verifiedCallerOf(state, access, isStrict)
  if (caller.answer) return caller.answer
  const { factors } = caller.user
  const answer = removeWayIn(
    state,
    caller,
    given,
    factors.identities.some((each) => each.id === id),
    either,
  )
  if (answer) return answer
  factors.identities = factors.identities.filter((each) => each.id !== id)
  notify(state, 'identity removed', caller.user.email, caller.user, either)
  return { status: 204 }
}

/** @type {Record<string, Rule>} */
export const identityRules = {
  'provider-visit': visit,
  'provider-exchange': exchange,
  'provider-link': startLink,
  'provider-link-visit': visitLink,
  identities: listIdentities,
  'identity-remove': removeIdentity,
}
