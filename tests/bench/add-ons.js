import { compare } from './compare.js'
import { CORE, cookieOf, createService, currentUser, registered, start } from './service.js'

const USER = 'alice'

/**
 * Asks for the current user in services with and without add-ons for logging in, and by a cookie.
 * @param {string} scratch an existing folder
 * @param {import('./service.js').Load} load
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>} the first has no add-on
 */
export async function measureAddOns(scratch, load, rounds) {
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = []
  try {
    const programs = []
    for (const [addOns, goal] of /** @type {const} */ ([
      ['none'],
      ['passkeys,totp', 0.98],
      ['cookies', 0.98],
    ])) {
      const { child, url } = await start(createService(scratch, 'sqlite', addOns), 'dist/server.js', {}, CORE)
      children.push(child)
      await registered(url, USER)
      const program = { pid: child.pid, mark: USER, ...(goal && { goal }) }
      programs.push({ ...program, name: addOns, request: await currentUser(url, USER) })
      if (addOns !== 'cookies') continue
      const headers = { cookie: await cookieOf(url, USER) }
      programs.push({
        ...program,
        name: 'by a cookie',
        goal: 0.95,
        request: { url: `${url}/api/v1/users/me`, headers },
      })
    }
    return await compare(programs, load, rounds)
  } finally {
    for (const child of children) child.kill()
  }
}
