import { isEmail, isUsername } from './validity.js'

/** @typedef {import('./steps.js').Choice} Choice */
/** @typedef {import('./steps.js').Step} Step */
/** @typedef {import('./model.js').Model} Model */

/**
 * Turns a step into a request: replaces the choices by what there is in the model at this moment.
 * @param {Model} model
 * @param {Step} step
 * @returns {{ body: Record<string, unknown>, params: Record<string, string>, token: string | undefined }}
 */
export function fill(model, step) {
  /** @param {Record<string, Choice>} choices */
  const all = (choices) =>
    Object.fromEntries(
      Object.entries(choices).map(([key, choice]) => {
        const value = resolved(model, step, choice)
        const isName = 'literal' in choice && (key === 'username' || key === 'email')
        return [key, isName ? ownName(model, value) : value]
      }),
    )
  const params = Object.entries(all(step.params)).map(([key, value]) => [key, inPath(String(value))])
  return { body: all(step.body), params: Object.fromEntries(params), token: tokenOf(model, step) }
}

/** A name that the service may accept, made unique: the model knows only the users of its own sequence. @param {Model} model @param {unknown} value */
const ownName = ({ prefix }, value) =>
  typeof value === 'string' && (isUsername(value) || isEmail(value) !== false) ? prefix + value : value

/** What a URL can contain: no unpaired surrogates, and no text that clients resolve before they send it. @param {string} text */
const inPath = (text) =>
  text
    .slice(0, 100)
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replace(/^\.{0,2}$/, '-')

/** @param {Model} model @param {number} number */
const nameOf = ({ prefix }, number) => `${prefix}u${number}`

/** @param {Model} model @param {number} number */
const userOf = (model, number) => model.userOf(nameOf(model, number))

/** @param {Model} model @param {Step} step @param {Choice} choice @returns {unknown} */
function resolved(model, step, choice) {
  if ('literal' in choice) return choice.literal
  const { of, what, age, isUpper } = choice
  const name = nameOf(model, of)
  const user = userOf(model, of)
  /** @param {string} text */
  const spelled = (text) => (isUpper ? text.toUpperCase() : text)
  if (what === 'username') return spelled(name)
  if (what === 'email') return spelled((age === 0 && user?.email) || `${name}-${age}@example.com`)
  if (what === 'password') return (age < 2 && aboutWhom(model, step)?.password) || 'Wrong-Horse-9'
  if (what === 'refresh') return refreshTokenOf(model, of, age) ?? 'made up'
  if (what === 'session') return sessionIdOf(model, age < 2 ? step.user : of, age)
  const mails = model.mails.filter((mail) => mail.user === user && mail.kind === what).reverse()
  const token = mails[age % Math.max(1, mails.length)]?.token ?? 'made up'
  return isUpper ? token.toLowerCase().replaceAll('-', ' ') : token
}

/** The user that a request names, or whose token it carries. @param {Model} model @param {Step} step */
function aboutWhom(model, { body, user }) {
  const choice = body.username ?? body.email
  return userOf(
    model,
    choice && 'of' in choice && !('new_password' in body) && !('current_password' in body) ? choice.of : user,
  )
}

/** The current token of the newest live session, its predecessor, or one of other sessions. @param {Model} model @param {number} of @param {number} age */
function refreshTokenOf(model, of, age) {
  const all = model.sessions.filter(({ user }) => user === userOf(model, of)).reverse()
  const live = all.find(({ isLive }) => isLive)
  if (age === 0) return (live ?? all[0])?.refresh.at(-1)
  if (age === 1) return live?.refresh.at(-2) ?? live?.refresh.at(-1)
  return age === 2 ? all[1]?.refresh.at(-1) : all.at(-1)?.refresh[0]
}

/** @param {Model} model @param {number} of @param {number} age */
function sessionIdOf(model, of, age) {
  const user = userOf(model, of)
  const live = user ? model.liveSessions(user) : []
  if (age < 3) return (age === 1 ? live[0] : live.at(-1))?.id ?? 999_999_999
  return model.sessions.find(({ isLive }) => !isLive)?.id ?? 0
}

/** @param {Model} model @param {Step} step */
function tokenOf(model, { bearer, user, session }) {
  const owner = userOf(model, user)
  const own = model.sessions.filter((session) => session.user === owner).reverse()
  const chosen = own.filter(({ isLive }) => isLive === (bearer !== 'ended'))
  const { access = [], refresh = [] } = chosen[session % Math.max(1, chosen.length)] ?? {}
  const token = access[access.length - 1 - (session % Math.max(1, access.length))]
  if (bearer === 'none') return undefined
  if (bearer === 'made up') return 'aa.bb.cc'
  if (bearer === 'refresh') return refresh.at(-1)
  if (bearer !== 'altered' || token === undefined) return token
  return `${token.slice(0, -9)}${token.at(-9) === 'A' ? 'B' : 'A'}${token.slice(-8)}`
}
