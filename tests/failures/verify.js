/** How many accounts are checked in parallel. */
const AT_A_TIME = 8

/**
 * Checks that all acknowledged changes are present: users, newest passwords, newest tokens, ended sessions.
 * @param {import('./clients.js').Sender} sender
 * @param {import('./clients.js').Account[]} accounts
 */
export async function verifyAccounts({ send }, accounts) {
  /** @type {string[]} */
  const faults = []
  const counts = { users: accounts.length, changedPasswords: 0, liveSessions: 0, endedSessions: 0 }
  const open = [...accounts]

  /** @param {string} what @param {number} wanted @param {string} path @param {object} body */
  async function expectPost(what, wanted, path, body) {
    const { status } = await send('POST', `/api/v1/auth/${path}`, { body })
    if (status !== wanted) faults.push(`${what}: ${status} instead of ${wanted}`)
  }
  /** @param {string} what @param {number} wanted @param {string} token */
  async function expectMe(what, wanted, token) {
    const { status } = await send('GET', '/api/v1/users/me', { token })
    if (status !== wanted) faults.push(`${what}: ${status} instead of ${wanted}`)
  }
  /** @param {import('./clients.js').Account} account */
  async function verify({ username, password, oldPassword, live, ended }) {
    await expectPost(`newest password of ${username}`, 200, 'login', { username, password })
    if (oldPassword !== undefined) {
      counts.changedPasswords += 1
      const old = { username, password: oldPassword }
      await expectPost(`replaced password of ${username}`, 401, 'login', old)
    }
    for (const { access, refresh } of ended) {
      counts.endedSessions += 1
      await expectMe(`access token of an ended session of ${username}`, 401, access)
      const token = { refresh_token: refresh }
      await expectPost(`refresh token of an ended session of ${username}`, 401, 'refresh', token)
    }
    if (live) {
      counts.liveSessions += 1
      await expectMe(`newest access token of ${username}`, 200, live.access)
      const token = { refresh_token: live.refresh }
      await expectPost(`newest refresh token of ${username}`, 200, 'refresh', token)
    }
  }

  const work = async () => {
    for (let account = open.pop(); account; account = open.pop()) await verify(account)
  }
  await Promise.all(Array.from({ length: AT_A_TIME }, work))
  return { faults, counts }
}
