import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from './command.js'
import { start } from './service.js'

const PAIRS = 200
const USERS = 20
const PASSWORD = 'Correct-Horse-7'
const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')

/**
 * Measures whether response times reveal who has an account, in both profiles.
 * @param {string} scratch an existing folder
 */
export async function measureEnumeration(scratch) {
  const figures = []
  for (const profile of ['A', 'B']) {
    const project = join(scratch, `enumeration-${profile}`)
    const answers = ['--mode', 'complete', '--profile', profile, '--no-git']
    execFileSync(process.execPath, [bin, project, ...answers], { stdio: 'inherit' })
    execFileSync('npm', ['run', 'build'], { cwd: project, stdio: 'inherit' })
    figures.push(...(await measurePairs(project, profile)))
  }
  return figures
}

/**
 * Sends pairs of requests one after another: one for a user and one for an unknown name, in alternating order.
 * @param {string} project a built service of mode complete
 * @param {string} profile
 * @returns {Promise<import('./command.js').Figure[]>}
 */
async function measurePairs(project, profile) {
  const service = await start(project, 'dist/server.js', { RATE_LIMIT_ENABLED: 'false' })
  /**
   * @param {string} path
   * @param {object} body
   * @returns {Promise<{ ms: number, status: number }>}
   */
  const send = async (path, body) => {
    const startedAt = performance.now()
    const response = await fetch(`${service.url}/api/v1/auth/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    })
    await response.arrayBuffer()
    return { ms: performance.now() - startedAt, status: response.status }
  }
  /** @type {Record<string, (name: string) => object>} */
  const requests = {
    login: (name) => ({ username: name, password: 'Wrong-Horse-7' }),
    'forgot-password': (name) => ({ email: `${name}@example.com` }),
    'resend-verification': (name) => ({ email: `${name}@example.com` }),
  }
  try {
    for (let user = 0; user < USERS; user += 1) {
      const username = nameOf('known', user)
      await send('register', { username, email: `${username}@example.com`, password: PASSWORD })
    }
    const figures = []
    for (const [path, bodyOf] of Object.entries(requests)) {
      for (let time = 0; time < 10; time += 1) await send(path, bodyOf(nameOf('warms', time)))
      /** @type {Record<string, number[]>} */
      const times = { known: [], other: [] }
      const statuses = new Set()
      for (let pair = 0; pair < PAIRS; pair += 1) {
        // Both repeat: a request for an address that already waits writes no row.
        const turns = [nameOf('known', pair % USERS), nameOf('other', pair % USERS)]
        for (const name of pair % 2 ? turns : turns.reverse()) {
          const { ms, status } = await send(path, bodyOf(name))
          statuses.add(status)
          times[name.slice(0, 5)]?.push(ms)
        }
      }
      if (statuses.size !== 1)
        throw new Error(`${path} returns different statuses: ${[...statuses].join(', ')}`)
      const [known, other] = [median(times.known), median(times.other)]
      const share = (known - other) / other
      figures.push({
        what: `${path} of profile ${profile}, user vs. unknown name, medians of ${PAIRS} pairs`,
        value: `${known.toFixed(2)} ms, ${other.toFixed(2)} ms: ${(known - other).toFixed(2)} ms, ${(share * 100).toFixed(1)} %`,
        goal: 'under 5 % or 10 ms',
      })
    }
    return figures
  } finally {
    service.child.kill()
  }
}

/**
 * Returns names of equal length, so that requests differ only in whether the user exists.
 * @param {string} word
 * @param {number} number
 */
const nameOf = (word, number) => `${word}${String(number).padStart(4, '0')}`
