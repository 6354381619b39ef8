import { isReset } from './emails.js'
import { userByKey } from './state.js'

/** @typedef {import('./state.js').State} State */
/** @typedef {import('./state.js').Email} Email */

/** The token in an email. @param {State} state @param {{ token?: number | undefined }} email */
const tokenIn = ({ tokens, signInTokens }, { token }) =>
  [...tokens, ...signInTokens].find(({ key }) => key === token)

/** @typedef {Email & { must: boolean }} Expected an email that has to arrive now, or may */

/**
 * Hands all queued emails to the mail server.
 * @param {State} state
 * @returns {Expected[]} those that arrive
 */
export function deliver(state) {
  return state.queue.splice(0).flatMap((email) => {
    const user = userByKey(state, email.user)
    const token = tokenIn(state, email)
    if (email.token !== undefined) {
      // No one could use it, and nobody should read of a change that was cancelled.
      if (!token || token.expiresAt <= state.now || (token.kind === 'change' && token.isVoid === true))
        return []
      // Only that session could use it.
      const isOwnerless =
        'session' in token && state.sessions.find(({ key }) => key === token.session)?.isEnded
      return [{ ...email, must: !token.isVoid && !isOwnerless }]
    }
    const isStale = state.tokens.some(({ key, isVoid }) => key === email.about && isVoid)
    return [{ ...email, must: !email.isOptional && !isStale && user !== undefined }]
  })
}

/** What an email is for, as its reader sees it. @param {{ kind: string, token?: number | undefined }} email */
export function sortOf({ kind, token }) {
  if (token === undefined) return 'notice'
  if (kind === 'undo' || kind === 'emailed' || kind === 'login') return kind
  return kind.includes('reset') ? 'reset' : 'to verify'
}

/**
 * An email that arrived. `sort` as `sortOf` says.
 * @typedef {{ to: string, sort: string, body: string, token?: string | undefined }} Arrived
 */

/**
 * Finds an expected email for each that arrived, and notes the texts of their tokens.
 * @param {State} state @param {Expected[]} expected @param {Arrived[]} arrived both oldest first
 * @returns {string | undefined} what differs
 */
export function compareEmails(state, expected, arrived) {
  const open = [...expected]
  // The newest first: of two emails of a kind, only the last one has to arrive.
  for (const email of arrived.toReversed()) {
    const same = open.filter((each) => each.to === email.to && sortOf(each) === email.sort)
    const named = same.filter(({ name }) => email.body.includes(name))
    // Whoever confirms a change has to see which account their address would join.
    const isUnnamed = (/** @type {Expected} */ { user }) => userByKey(state, user)?.isUnnamed
    const possible =
      named.length > 0 ? named : same.filter((each) => isUnnamed(each) || !/^change( back)?$/.test(each.kind))
    const left = arrived.slice(0, arrived.indexOf(email) + 1)
    const { match, isSure } = matchOf(email, possible, left)
    if (!match) return `an email to ${email.to} (${email.sort}) that nothing asked for`
    open.splice(open.indexOf(match), 1)
    if (
      isReset(match.kind) &&
      /authenticator|passkey|at a provider/.test(email.body) !== (match.kind !== 'reset')
    )
      return `an email to ${email.to} that does not name what was added: ${email.body}`
    const token = tokenIn(state, match)
    if (token && isSure && email.token !== undefined) token.text = email.token
  }
  const missing = open.find(({ must }) => must)
  return missing && `no email to ${missing.to} (${missing.kind}, account ${missing.name})`
}

/**
 * The expected email that arrived. Codes of two sessions look the same, so that it may not be sure which one it is.
 * @param {Arrived} email @param {Expected[]} possible @param {Arrived[]} left those that have no match, this one the last
 */
function matchOf({ to, sort, token }, possible, left) {
  const musts = possible.filter(({ must }) => must)
  if (token === undefined) return { match: musts[0] ?? possible.at(-1), isSure: true }
  if (sort !== 'emailed') return { match: possible.at(-1), isSure: true }
  const { length } = left.filter((each) => each.to === to && each.sort === sort)
  const sure = [possible, musts].find((some) => some.length === length)
  return { match: (sure ?? (length > musts.length ? possible : musts)).at(-1), isSure: sure !== undefined }
}
