import fc from 'fast-check'
import { anyText, passwords, weakPasswords, wrongType } from './texts.js'

/** @typedef {import('../document.js').Operation} Operation */

/**
 * A value of a request: a value as it is, or one that only a running sequence knows.
 * @typedef {{ literal: unknown } | { of: number, what: string, age: number, isUpper: boolean }} Choice
 */

/**
 * One call of a sequence, as data, so that it can be made smaller and printed.
 * @typedef {object} Step
 * @property {string} operation
 * @property {number} user whose access token is sent
 * @property {number} session which of their sessions, the newest first
 * @property {'live' | 'ended' | 'none' | 'altered' | 'refresh' | 'made up'} bearer
 * @property {Record<string, Choice>} params
 * @property {Record<string, Choice>} body
 * @property {string | undefined} [raw] a body that is sent as it is
 */

const someone = fc.nat(2)

/** @param {string} what @returns {fc.Arbitrary<Choice>} */
const known = (what) =>
  fc.record({
    of: someone,
    what: fc.constant(what),
    age: fc.oneof({ weight: 3, arbitrary: fc.constant(0) }, { weight: 1, arbitrary: fc.nat(3) }),
    isUpper: fc.nat(4).map((number) => number === 0),
  })

/** @param {unknown[]} values @returns {fc.Arbitrary<Choice>} */
const oneOf = (values) => fc.constantFrom(...values).map((literal) => ({ literal }))

const password = fc.oneof(
  { weight: 6, arbitrary: known('password') },
  { weight: 3, arbitrary: oneOf(passwords) },
)
const newPassword = fc.oneof(
  { weight: 6, arbitrary: oneOf(passwords) },
  { weight: 1, arbitrary: oneOf(weakPasswords) },
)

/**
 * Values that make sense in a field, by its name.
 * @type {Record<string, fc.Arbitrary<Choice>>}
 */
const sensible = {
  username: known('username'),
  email: known('email'),
  password,
  current_password: password,
  new_password: newPassword,
  refresh_token: known('refresh'),
  token: fc.oneof(known('reset'), known('verification'), known('confirm'), known('undo'), known('login')),
  id: known('session'),
  device_name: oneOf(["Bob's phone", 'Ünïcode 📱']),
  device_type: oneOf(['mobile']),
}

/** @param {string} name @returns {fc.Arbitrary<Choice>} */
const anyOf = (name) => {
  const text = anyText.map((literal) => ({ literal }))
  return fc.oneof(
    { weight: 24, arbitrary: sensible[name] ?? text },
    { weight: 2, arbitrary: text },
    { weight: 1, arbitrary: wrongType.map((literal) => ({ literal })) },
  )
}

/** Bodies for an endpoint: mostly sensible, some with a wrong, missing or unknown field. @param {Operation} operation */
function bodyOf({ name, body: { properties = {}, required = [] } = {} }) {
  const requiredKeys = Object.keys(properties).filter((key) => required.includes(key))
  const complete = fc.record(Object.fromEntries(Object.keys(properties).map((key) => [key, anyOf(key)])), {
    requiredKeys,
  })
  const isLogin = name.endsWith('/login')
  const spoiler = fc.oneof(
    { weight: 30, arbitrary: fc.constant(undefined) },
    { weight: 1, arbitrary: fc.constantFrom(...Object.keys(properties), 'is_superuser', 'id') },
  )
  return fc.tuple(complete, spoiler, fc.nat(14)).map(([body, spoiled, names]) => {
    const { email, username, ...rest } = body
    // A login takes exactly one name.
    const named = isLogin && names > 0 ? (username && (names > 4 || !email) ? { username } : { email }) : body
    /** @type {Record<string, Choice>} */
    const sent = JSON.parse(JSON.stringify({ ...rest, ...named }))
    if (spoiled === undefined) return sent
    if (!(spoiled in sent)) return { ...sent, [spoiled]: { literal: 'x' } }
    const { [spoiled]: _, ...others } = sent
    return others
  })
}

const rawBodies = ['', '{', '"text"', '[]', '{"__proto__":{"a":1}}', '['.repeat(8000), ' '.repeat(17_000)]

/** @param {Operation} operation @returns {fc.Arbitrary<Step>} */
export function stepOf(operation) {
  const keys = Object.keys(operation.params?.properties ?? {})
  return fc.record(
    {
      operation: fc.constant(operation.name),
      user: someone,
      session: fc.nat(2),
      bearer: fc.oneof(
        { weight: operation.isProtected ? 12 : 2, arbitrary: fc.constant(/** @type {const} */ ('live')) },
        { weight: operation.isProtected ? 1 : 12, arbitrary: fc.constant(/** @type {const} */ ('none')) },
        {
          weight: 2,
          arbitrary: fc.constantFrom(.../** @type {const} */ (['ended', 'altered', 'refresh', 'made up'])),
        },
      ),
      params: fc.record(Object.fromEntries(keys.map((key) => [key, anyOf(key)]))),
      body: bodyOf(operation),
      ...(operation.body && {
        raw: fc.oneof(
          { weight: 40, arbitrary: fc.constant(undefined) },
          { weight: 1, arbitrary: fc.constantFrom(...rawBodies) },
        ),
      }),
    },
    { noNullPrototype: true },
  )
}
