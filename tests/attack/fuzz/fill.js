import { isEmail, isUsername } from './validity.js'

/** @typedef {import('./steps.js').Choice} Choice */
/** @typedef {import('./steps.js').Step} Step */
/** @typedef {import('./world.js').World} World */

/**
 * Turns a step into a request: replaces the choices by what there is in the world at this moment.
 * @param {World} world
 * @param {Step} step
 * @returns {{ body: Record<string, unknown>, params: Record<string, string>, token: string | undefined }}
 */
export function fill(world, step) {
  /** @param {Record<string, Choice>} choices */
  const all = (choices) =>
    Object.fromEntries(
      Object.entries(choices).map(([key, choice]) => {
        const value = resolved(world, step, choice)
        const isName = 'literal' in choice && (key === 'username' || key === 'email')
        return [key, isName ? ownName(world, value) : value]
      }),
    )
  const params = Object.entries(all(step.params)).map(([key, value]) => [key, inPath(String(value))])
  return { body: all(step.body), params: Object.fromEntries(params), token: tokenOf(world, step) }
}

/** A name that the service may accept, made unique: the model knows only the users of its own sequence. @param {World} world @param {unknown} value */
const ownName = ({ prefix }, value) =>
  typeof value === 'string' && (isUsername(value) || isEmail(value) !== false) ? prefix + value : value

/** What a URL can contain: no unpaired surrogates, and no text that clients resolve before they send it. @param {string} text */
const inPath = (text) =>
  text
    .slice(0, 100)
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .replace(/^\.{0,2}$/, '-')

/** @param {World} world @param {number} number */
const nameOf = ({ prefix }, number) => `${prefix}u${number}`

/** @param {World} world @param {number} number */
const userOf = (world, number) => world.userOf(nameOf(world, number))

/** @param {World} world @param {Step} step @param {Choice} choice @returns {unknown} */
function resolved(world, step, choice) {
  if ('literal' in choice) return choice.literal
  const { of, what, age, isUpper } = choice
  const name = nameOf(world, of)
  const user = userOf(world, of)
  /** @param {string} text */
  const spelled = (text) => (isUpper ? text.toUpperCase() : text)
  if (what === 'username') return spelled(name)
  if (what === 'email') return spelled((age === 0 && user?.email) || `${name}-${age}@example.com`)
  if (what === 'password') return (age < 2 && aboutWhom(world, step)?.password) || 'Wrong-Horse-9'
  if (what === 'refresh') return refreshTokenOf(world, of, age) ?? 'made up'
  if (what === 'session') return sessionIdOf(world, age < 2 ? step.user : of, age)
  const mails = world.mails.filter((mail) => mail.user === user && mail.kind === what).reverse()
  const token = mails[age % Math.max(1, mails.length)]?.token ?? 'made up'
  return isUpper ? token.toLowerCase().replaceAll('-', ' ') : token
}

/** The user that a request names, or whose token it carries. @param {World} world @param {Step} step */
function aboutWhom(world, { body, user }) {
  const choice = body.username ?? body.email
  return userOf(
    world,
    choice && 'of' in choice && !('new_password' in body) && !('current_password' in body) ? choice.of : user,
  )
}

/** The current token of the newest live session, its predecessor, or one of other sessions. @param {World} world @param {number} of @param {number} age */
function refreshTokenOf(world, of, age) {
  const all = world.sessions.filter(({ user }) => user === userOf(world, of)).reverse()
  const live = all.find(({ isLive }) => isLive)
  if (age === 0) return (live ?? all[0])?.refresh.at(-1)
  if (age === 1) return live?.refresh.at(-2) ?? live?.refresh.at(-1)
  return age === 2 ? all[1]?.refresh.at(-1) : all.at(-1)?.refresh[0]
}

/** @param {World} world @param {number} of @param {number} age */
function sessionIdOf(world, of, age) {
  const user = userOf(world, of)
  const live = user ? world.liveSessions(user) : []
  if (age < 3) return (age === 1 ? live[0] : live.at(-1))?.id ?? 999_999_999
  return world.sessions.find(({ isLive }) => !isLive)?.id ?? 0
}

/** @param {World} world @param {Step} step */
function tokenOf(world, { bearer, user, session }) {
  const owner = userOf(world, user)
  const own = world.sessions.filter((session) => session.user === owner).reverse()
  const chosen = own.filter(({ isLive }) => isLive === (bearer !== 'ended'))
  const { access = [], refresh = [] } = chosen[session % Math.max(1, chosen.length)] ?? {}
  const token = access[access.length - 1 - (session % Math.max(1, access.length))]
  if (bearer === 'none') return undefined
  if (bearer === 'made up') return 'aa.bb.cc'
  if (bearer === 'refresh') return refresh.at(-1)
  if (bearer !== 'altered' || token === undefined) return token
  return `${token.slice(0, -9)}${token.at(-9) === 'A' ? 'B' : 'A'}${token.slice(-8)}`
}
