import { isLive } from '../model/state.js'
import { accessOf, onlineSession, passwords, sessionOf, strangersSession } from './choose.js'
import { changer, emailedTo, mostlyVerified } from './factors.js'
import { knownTokens, liveTokens, proved } from './proofs.js'
import { isLinking, linkAsked, visit } from './visits.js'

/** @typedef {import('../model/step.js').Action} Action */
/** @typedef {import('./choose.js').Situation} Situation */

/** An id that nothing has. */
const noId = 999_999_999

/** Someone asks for a link, step by step. @param {Situation} situation @returns {Action | undefined} */
export function link(situation) {
  const { random } = situation
  const chosen = changer(situation, (user) => user.factors.identities.length < 3 && mostlyVerified(user))
  if (!chosen?.session) return chosen?.first
  const { user, session, access } = chosen
  // Twice with one emailed token, now and then.
  if (isLinking(situation, session) && random.chance(0.7)) return undefined
  const { isAsked, text: emailed } = emailedTo(situation, session)
  if (isAsked && emailed === undefined) return undefined
  const asked = { ...linkAsked(situation), access, emailed }
  if (emailed === undefined || !user.factors.totp) return asked
  return proved(situation, user, { session: session.key, access }, asked)
}

/** Someone removes an account, after they have seen which there are. @param {Situation} situation @returns {Action | Action[] | undefined} */
export function unlink(situation) {
  const { state, random } = situation
  const chosen = changer(situation, ({ factors }) => factors.identities.length > 0)
  if (!chosen?.session) return chosen?.first
  const { user, session, access } = chosen
  const { identities, totp } = user.factors
  const all = random.chance(0.9) ? identities : state.users.flatMap(({ factors }) => factors.identities)
  const id = random.one(all)?.id
  if (!id || random.chance(0.1)) return { type: 'identities', access }
  const { isAsked, text } = emailedTo(situation, session)
  if (!totp && isAsked && text === undefined) return undefined
  const action = { type: 'identity-remove', access, id, ...(!totp && { emailed: text }) }
  const removal = totp ? proved(situation, user, { session: session.key, access }, action) : action
  // It ends a login that waits.
  return random.chance(0.25) ? [visit(situation, user), removal] : removal
}

/** What a thief with any token asks about accounts at the provider. @param {Situation} situation @returns {Action} */
export function meddleWithIdentities(situation) {
  const { state, random } = situation
  const access = accessOf(sessionOf(situation))
  const emailed = random.chance(0.5) ? random.one(knownTokens(state, 'emailed'))?.text : undefined
  const id = random.one(state.users.flatMap(({ factors }) => factors.identities))?.id || noId
  const asked = random.one([{ type: 'identities' }, { type: 'identity-remove', id }, linkAsked(situation)])
  return { type: 'identities', ...asked, access, emailed }
}

/** The address of someone who came by the provider is verified: by them, or by who opens the email. @param {Situation} situation @returns {Action | undefined} */
export function verifyLinked(situation) {
  const { state, random } = situation
  const isIt = (/** @type {import('../model/state.js').Token} */ { kind, user, text }) =>
    kind === 'verification' &&
    text &&
    state.users.some(({ key, factors }) => key === user && factors.identities.length > 0)
  const token = random.one(state.tokens.filter((each) => isIt(each) && isLive(state, each)))
  const user = state.users.find(({ key }) => key === token?.user)
  if (!token || !user) return undefined
  const session = random.weighted([
    [5, onlineSession(state, user)],
    [2, undefined],
    [3, strangersSession(situation, user)],
  ])
  return { type: 'verify', token: token.text, access: accessOf(session) }
}

/** What ends the code of a flow, and whoever has the code goes on nevertheless. @param {Situation} situation @returns {Action[] | undefined} */
export function cutIn(situation) {
  const { state, random } = situation
  const code = liveTokens(state, 'code').at(-1)
  const user = state.users.find(({ key }) => key === code?.user)
  if (!code || !user?.isClaimed) return undefined
  // By the address: the name may be unknown.
  const [name, access] = [user.email, accessOf(onlineSession(state, user))]
  const reset = state.tokens.findLast(
    (each) => each.kind === 'reset' && each.user === user.key && each.text && isLive(state, each),
  )
  /** @type {Action[]} */
  const endings = [
    { type: 'user end-sessions', user: name },
    { type: 'user password', user: name },
    { type: 'user reset-mfa', user: name },
    { type: 'user deactivate', user: name },
    ...(reset ? [{ type: 'reset', token: reset.text, password: passwords[0] }] : []),
    ...(state.settings.profile === 'b' && access ? [{ type: 'logout-all', access }] : []),
  ]
  const ending = random.one(endings)
  const isBack = ending?.type === 'user deactivate' && random.chance(0.5)
  const { text: oneTime, verifier } = code
  const asked = accessOf(state.sessions.find(({ key }) => key === code.session))
  return (
    ending && [
      ending,
      ...(isBack ? [{ type: 'user activate', user: name }] : []),
      { type: 'provider-exchange', oneTime, verifier, access: asked },
    ]
  )
}
