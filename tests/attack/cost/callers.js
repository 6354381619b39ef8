/** @typedef {import('../service.js').Attacked} Attacked */
/** @typedef {Awaited<ReturnType<typeof createCallers>>} Callers */

const password = 'Correct-Horse-7'

/**
 * Users who are logged in, one for each request of a batch: some requests end the session.
 * @param {Attacked} service
 * @param {number} count
 * @param {string} prefix of their names
 */
export async function createCallers(service, count, prefix = 'caller') {
  const names = Array.from({ length: count }, (_, number) => `${prefix}${number}`)
  /** @param {string} username */
  const register = (username) =>
    service.request('POST', '/api/v1/auth/register', {
      username,
      email: `${username}@example.com`,
      password,
    })
  for (const username of names) await register(username)
  /** @param {string} username */
  const logIn = async (username) =>
    (await service.request('POST', '/api/v1/auth/login', { username, password })).body.access_token
  /** @type {string[]} */
  const tokens = []
  for (const username of names) tokens.push(await logIn(username))

  return {
    /** @param {number} number */
    tokenOf: (number) => tokens[number % count] ?? '',
    /** Logs in again after a request that may have ended the session, or deleted the user. @param {number} number */
    async renew(number) {
      const name = names[number % count] ?? ''
      let token = await logIn(name)
      if (token === undefined) {
        await register(name)
        token = await logIn(name)
      }
      tokens[number % count] = token
    },
  }
}
