import { compare } from './compare.js'
import { createService, currentUserByCookie, startWithUser } from './service.js'

/**
 * Asks for the current user in services with and without add-ons for logging in, and by a cookie.
 * @param {string} scratch an existing folder
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>} the first has no add-on
 */
export function measureAddOns(scratch, rounds) {
  const service = (/** @type {string} */ addOns) => createService(scratch, 'sqlite', addOns)
  const [none, factors, cookies] = [service('none'), service('passkeys,totp'), service('cookies')]
  return compare(
    [
      { name: 'none', start: () => startWithUser(none) },
      { name: 'passkeys,totp', goal: 0.98, start: () => startWithUser(factors) },
      { name: 'cookies', goal: 0.98, start: () => startWithUser(cookies) },
      { name: 'by a cookie', goal: 0.95, start: () => startWithUser(cookies, {}, currentUserByCookie) },
    ],
    rounds,
  )
}
