import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { freePort } from '../support/port.js'

export const POOL_SIZE = 4

/**
 * The cheapest allowed hash, a small pool, and limits that the clients do not reach, so that counting still runs.
 * Mails are due immediately and are never delivered, because port 1 refuses connections.
 */
const settings = {
  NODE_ENV: 'production',
  ARGON2_MEMORY_KIB: '19456',
  ARGON2_TIME_COST: '2',
  DATABASE_POOL_SIZE: String(POOL_SIZE),
  EMAIL_HOST: '127.0.0.1',
  EMAIL_PORT: '1',
  EMAIL_FROM_EMAIL: 'accounts@my-api.test',
  RATE_LIMIT_AUTH_REQUESTS: '1000000',
  RATE_LIMIT_LOGIN_FAILURES: '1000000',
  RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '1000000',
  RATE_LIMIT_REFRESH_FAILURES: '1000000',
  RATE_LIMIT_REGISTER: '1000000',
  // Clients without an answer retry until the outage ends.
  REFRESH_TOKEN_REUSE_GRACE_SECONDS: '60',
}

/** @typedef {Awaited<ReturnType<typeof createService>>} Service */

/**
 * A built service.
 * @typedef {object} Instance
 * @property {string} project its folder
 * @property {Record<string, string>} [env] more settings
 * @property {string[]} [flags] of Node.js
 */

/**
 * Starts a service that can be killed and started again at the same URL.
 * @param {Instance} instance
 * @param {string} databaseUrl
 */
export async function createService({ project, env: own, flags = [] }, databaseUrl) {
  const port = await freePort()
  const env = { ...process.env, ...settings, DATABASE_URL: databaseUrl, PORT: String(port), ...own }
  /** @type {string[]} */
  const log = []
  /** @type {(error: Error) => void} */
  let crash = () => {}
  const crashed = new Promise((/** @type {(value: never) => void} */ _resolve, reject) => {
    crash = reject
  })
  crashed.catch(() => {})
  let isExpectedToEnd = false
  let child = run()
  process.once('exit', () => child.kill('SIGKILL'))

  function run() {
    const started = spawn(process.execPath, [...flags, 'dist/server.js'], { cwd: project, env })
    let rest = ''
    for (const stream of [started.stdout, started.stderr]) {
      stream.setEncoding('utf8').on('data', (/** @type {string} */ part) => {
        const lines = (rest + part).split('\n')
        rest = lines.pop() ?? ''
        log.push(...lines)
      })
    }
    started.once('exit', (code, signal) => {
      if (!isExpectedToEnd)
        crash(new Error(`the service ended unexpectedly: ${signal ?? `exit code ${code}`}`))
    })
    isExpectedToEnd = false
    return started
  }

  return {
    /** How often an event was logged. @param {string} event */
    logged: (event) => log.filter((line) => line.includes(`"event":"${event}"`)).length,
    /** Rejects when the service ends unexpectedly. */
    crashed,
    url: `http://127.0.0.1:${port}`,
    /** Resolves when the service listens and has migrated. Rejects if it ends before that. */
    async listens() {
      const { stdout } = child
      const from = log.length
      while (!log.slice(from).some((line) => line.includes('database ready'))) {
        if (child.exitCode !== null) throw new Error(`the service ended during startup:\n${log.join('\n')}`)
        await Promise.race([once(stdout, 'data'), once(child, 'exit')])
      }
    },
    /** Kills the service with SIGKILL. Resolves when it has ended. */
    async kill() {
      if (child.exitCode !== null || child.signalCode !== null) return
      isExpectedToEnd = true
      const gone = once(child, 'exit')
      child.kill('SIGKILL')
      await gone
    },
    start() {
      child = run()
    },
    /** Stops the service with SIGTERM. @returns the exit code */
    async stop() {
      isExpectedToEnd = true
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      const [code] = await gone
      return code
    },
    /** Log lines that must not occur: crashes, unexpected errors, and lines not written by the logger. */
    faults: () => log.filter((line) => line !== '' && isFault(line)).map((line) => `log: ${line}`),
  }
}

/** @param {string} line */
function isFault(line) {
  try {
    const { level, msg } = JSON.parse(line)
    return level >= 60 || msg === 'unexpected error'
  } catch {
    // The first start says that the file is new, before there is a logger.
    return !line.startsWith('DATABASE_URL: created a new, empty database')
  }
}
