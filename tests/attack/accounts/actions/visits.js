import { isOpen } from '../model/access.js'
import { lies } from '../model/identities.js'
import { accessOf, isOnline, onlineSession, spelled, strangersSession } from './choose.js'
import { liveTokens, newToken } from './proofs.js'

/** @typedef {import('../model/state.js').User} User */
/** @typedef {import('../model/step.js').Action} Action */
/** @typedef {import('./choose.js').Situation} Situation */

/** Accounts at the provider. Some people have several. @param {Situation} situation */
export const subjectsOf = ({ pool }) => pool.addresses.map((email) => `at ${email.replace(/@.*/, '')}`)

/** What the provider says of an account. @param {Situation} situation @param {string} [subject] */
function account({ random, pool, state }, subject) {
  const registered = random.one(state.users)?.email
  const email = random.weighted([
    [8, random.one(pool.addresses)],
    [2, registered],
    [0.5, undefined],
  ])
  /** @type {(readonly [number, unknown])[]} */
  const words = [
    [5, true],
    [2, false],
    [2, 'true'],
    [1, undefined],
    [0.5, 1],
  ]
  const verified = random.weighted(words)
  return {
    ...{ subject, verified },
    email: email && spelled(random, email),
    name: spelled(random, random.one(pool.names) ?? ''),
    ...(random.chance(0.1) && { isSparse: true }),
    ...(random.chance(0.1) && { isTwice: true }),
    ...(random.chance(0.12) && { lie: random.one(lies) }),
  }
}

/** What a front end keeps of a flow. @param {Situation} situation */
const newVerifier = ({ state, pool }) => `verifier of ${pool.names[0]} ${state.lastKey}`

/** Someone goes to the provider, with an account that a user may have there. @param {Situation} situation @param {User} [user] @returns {Action} */
export function visit(situation, user) {
  const { random, state } = situation
  const known = (user ? [user] : state.users).flatMap(({ factors }) => factors.identities)
  const isKnown = user !== undefined || random.chance(0.5)
  const subject = (isKnown ? random.one(known)?.subject : undefined) ?? random.one(subjectsOf(situation))
  return { type: 'provider-visit', ...account(situation, subject), verifier: newVerifier(situation) }
}

/** Someone goes on with the code of a flow, or a thief of it. @param {Situation} situation @returns {Action | undefined} */
export function exchange(situation) {
  const { state, random } = situation
  const code = newToken(situation, 'code', 0.88)
  if (!code) return undefined
  const asked = state.sessions.find(({ key }) => key === code.session)
  const user = state.users.find(({ key }) => key === code.user)
  const siblings = state.sessions.filter(
    (each) => each.user === asked?.user && each !== asked && isOnline(state, each),
  )
  if (asked && user?.password && siblings.length === 0 && random.chance(0.15))
    return { type: 'login', login: user.email, password: user.password }
  // Another session of the same user, and that of somebody else, are not the one that asked.
  const session = random.weighted([
    [asked ? 10 : 0, asked],
    [asked ? 2 : 0.3, random.one(siblings)],
    [asked ? 1.5 : 0.3, strangersSession(situation, user)],
    [asked ? 0.7 : 8, undefined],
  ])
  const verifier = random.chance(0.95) ? code.verifier : newVerifier(situation)
  return { type: 'provider-exchange', oneTime: code.text, verifier, access: accessOf(session) }
}

/** The way in of someone who has an account at the provider. @param {Situation} situation @param {User} user @returns {Action} */
export function enterByProvider(situation, user) {
  const isOwn = liveTokens(situation.state, 'code', (code) => code.user === user.key && !code.session).at(-1)
  if (!isOwn) return visit(situation, user)
  return { type: 'provider-exchange', oneTime: isOwn.text, verifier: isOwn.verifier }
}

/** Someone begins to add an account at the provider. @param {Situation} situation */
export const linkAsked = (situation) => ({ type: 'provider-link', verifier: newVerifier(situation) })

/** Someone opens the address of a link: who asked for it, or whoever was sent it. @param {Situation} situation @returns {Action | undefined} */
export function openLink(situation) {
  const { state, random } = situation
  const link = newToken(situation, 'link', 0.88)
  if (!link) return undefined
  const free = subjectsOf(situation).filter((subject) =>
    state.users.every(({ factors }) => factors.identities.every((each) => each.subject !== subject)),
  )
  const subject = (random.chance(0.8) ? random.one(free) : undefined) ?? random.one(subjectsOf(situation))
  return { type: 'provider-link-visit', link: link.text, ...account(situation, subject) }
}

/** Someone reads the name that the service has made for them. @param {Situation} situation @returns {Action | undefined} */
export function readName({ state }) {
  const user = state.users.find((each) => each.isUnnamed && onlineSession(state, each))
  return user && { type: 'me', access: accessOf(onlineSession(state, user)) }
}

/** Whether a session waits for what its link leads to. @param {Situation} situation @param {import('../model/state.js').Session} session */
export const isLinking = ({ state }, session) =>
  isOpen(state, session) &&
  ['link', 'code'].some(
    (kind) =>
      liveTokens(state, /** @type {'link'} */ (kind), (token) => token.session === session.key).length > 0,
  )
