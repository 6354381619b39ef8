import fc from 'fast-check'
import { stepOf } from './steps.js'

/** @typedef {import('../document.js').Operation} Operation */
/** @typedef {import('./steps.js').Step} Step */

/** How often an endpoint is called, by the end of its path. Hashes are slow, and requested mails take up to a second. */
const weights = {
  '/register': 1,
  '/login': 3,
  '/logout': 3,
  '/logout-all': 1,
  'DELETE /api/v1/auth/devices': 1,
  '/change-password': 2,
  '/verify-email': 2,
  '/reset-password': 2,
  '/forgot-password': 0,
  '/resend-verification': 0,
  '/email-login': 0,
  '/email-login/confirm': 2,
  'GET /api/v1/users/me': 15,
  'PUT /api/v1/users/me': 3,
  'DELETE /api/v1/users/me': 1,
  '/users/me/export': 2,
  '/refresh': 18,
  '/health/live': 1,
  '/health/ready': 1,
}

/** @param {string} name */
const weightOf = (name) => Object.entries(weights).find(([end]) => name.endsWith(end))?.[1] ?? 6

/** Two users who are logged in: most of what follows needs one. @type {Step[]} */
const beginning = [0, 1].flatMap((user) => {
  const password = { literal: 'Correct-Horse-7' }
  const own = { of: user, age: 0, isUpper: false }
  const step = { user, session: 0, bearer: /** @type {const} */ ('none'), params: {} }
  const username = { ...own, what: 'username' }
  const email = { ...own, what: 'email' }
  return [
    { ...step, operation: 'POST /api/v1/auth/register', body: { username, email, password } },
    { ...step, operation: 'POST /api/v1/auth/login', body: { username, password } },
  ]
})

/**
 * Sequences of calls.
 * @param {Operation[]} operations
 * @returns {fc.Arbitrary<Step[]>}
 */
export function sequenceOf(operations) {
  const single = operations.map((operation) => ({
    weight: weightOf(operation.name),
    arbitrary: fc.tuple(stepOf(operation)),
  }))
  const parts = fc.array(fc.oneof(...single, ...mailRequests(operations)), { maxLength: 150, size: 'max' })
  return parts.map((parts) => [...beginning, ...parts.flat()])
}

/** Requests for mails, which share the time until they are handled, and a use of the token. @param {Operation[]} operations */
function mailRequests(operations) {
  /** @param {RegExp} end */
  const stepsOf = (end) => operations.filter(({ name }) => end.test(name)).map(stepOf)
  const requests = stepsOf(/\/(forgot-password|resend-verification|email-login)$/)
  if (requests.length === 0) return []
  const uses = fc.oneof(...stepsOf(/\/(reset-password|verify-email|email-login\/confirm)$/))
  const several = fc.array(fc.oneof(...requests), { minLength: 1, maxLength: 4 })
  return [
    { weight: 1, arbitrary: fc.tuple(several, uses, uses).map(([list, ...last]) => [...list, ...last]) },
  ]
}
