import { accessOf, passwords } from './choose.js'

/** @typedef {import('./choose.js').Situation} Situation */
/** @typedef {import('../model/step.js').Action} Action */

/** @template Item @param {import('../random.js').Random} random @param {Item[]} items */
const shuffled = (random, items) =>
  items
    .map((item) => ({ item, order: random.below(2 ** 30) }))
    .sort((a, b) => a.order - b.order)
    .map(({ item }) => item)

/**
 * Tries everything that anyone may still have at the end of a sequence: tokens, passwords, addresses and names. Each
 * part changes what those after it find.
 * @type {((situation: Situation) => Action[])[]}
 */
export const epilogue = [
  ({ state }) => state.sessions.slice(-10).map((session) => ({ type: 'me', access: accessOf(session) })),
  ({ state }) =>
    state.users.flatMap((user) => [
      ...passwords.map((password) => ({ type: 'login', login: user.name, password })),
      { type: 'login', by: 'email', login: user.email, password: user.password ?? passwords[0] },
    ]),
  ({ state }) =>
    state.sessions
      .slice(-10)
      .map((session) => ({ type: 'refresh', refresh: session.refresh.at(-1) ?? 'none' })),
  ({ state, random }) =>
    shuffled(random, state.tokens.filter(({ text }) => text).slice(-16)).map(({ kind, text, user }) => {
      const session = state.sessions.findLast((each) => each.user === user)
      if (kind === 'reset' || kind === 'undo') return { type: kind, token: text, password: passwords[1] }
      return { type: 'verify', token: text, access: accessOf(session) }
    }),
  ({ pool }) =>
    pool.addresses.map((email, index) => {
      const name = email.replace(/@.*/, `new${index}`)
      return { type: 'register', name, email, password: passwords[0] }
    }),
  ({ pool }) =>
    pool.names.map((name) => ({
      type: 'register',
      name,
      email: `${name}.new@example.com`,
      password: passwords[0],
    })),
]
