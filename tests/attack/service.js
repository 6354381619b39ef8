import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as delay } from 'node:timers/promises'
import { buildUnchecked } from '../support/build.js'
import { freePort } from '../support/port.js'

/** @typedef {{ status: number, headers: Headers, text: string, body: any }} Answer `body` is parsed if it is JSON */
/** @typedef {Awaited<ReturnType<typeof startAttacked>>} Attacked */

/** The cheapest hashes that both profiles allow. */
const cheapHashes = { BCRYPT_COST: '10', ARGON2_MEMORY_KIB: '19456', ARGON2_TIME_COST: '2' }

/** Folders that this run has built. */
const built = new Set()

/**
 * Starts the service of a target as in production, with an empty SQLite database and a random secret.
 * @param {import('./target.js').Target} target
 * @param {Record<string, string>} [settings] these win
 * @param {string[]} [script] the arguments of node. Default: the built service
 * @throws Error with the last lines of the log if the service ends before it is ready
 */
export async function startAttacked({ folder }, settings = {}, script = [join(folder, 'dist/server.js')]) {
  if (!built.has(folder)) buildUnchecked(folder)
  built.add(folder)

  // The working directory: no .env is read. In production, the service creates no folder for a database.
  const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-attacked-'))
  mkdirSync(join(scratch, 'data'))
  const port = await freePort()
  const secret = randomBytes(32).toString('hex')
  const child = spawn(process.execPath, script, {
    cwd: scratch,
    env: {
      PATH: process.env.PATH,
      NODE_ENV: 'production',
      PORT: String(port),
      SECRET_KEY: secret,
      JWT_SECRET_KEY: secret,
      ...cheapHashes,
      ...settings,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  /** @type {string[]} */
  const logs = []
  for (const stream of [child.stdout, child.stderr])
    createInterface({ input: stream }).on('line', (line) => {
      // Every attack has a new database, and the service says so.
      if (!line.startsWith('DATABASE_URL: created a new, empty database')) logs.push(line)
    })
  const closed = once(child, 'close')
  const cleanUp = () => {
    child.kill('SIGKILL')
    rmSync(scratch, { recursive: true, force: true })
  }
  process.once('exit', cleanUp)

  const url = `http://127.0.0.1:${port}`
  while (!(await isReady(url))) {
    if (child.exitCode !== null || child.signalCode !== null) {
      process.off('exit', cleanUp)
      cleanUp()
      throw new Error(`The service ended before it was ready:\n${logs.slice(-20).join('\n')}`)
    }
    await delay(50)
  }

  return {
    url,
    pid: /** @type {number} */ (child.pid),
    /** The lines of the log so far. LOG_LEVEL decides which there are. */
    logs: () => [...logs],

    /**
     * Sends one request.
     * @param {string} method
     * @param {string} path
     * @param {unknown} [body] a string is sent as it is, anything else as JSON
     * @param {Record<string, string>} [headers]
     * @returns {Promise<Answer>}
     */
    async request(method, path, body, headers = {}) {
      const response = await fetch(url + path, {
        method,
        headers: { ...(body !== undefined && { 'content-type': 'application/json' }), ...headers },
        ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
      })
      const text = await response.text()
      const isJson = response.headers.get('content-type')?.includes('json') && text !== ''
      return { status: response.status, headers: response.headers, text, body: isJson && JSON.parse(text) }
    },

    /** Sends SIGTERM. Resolves to the exit code and the milliseconds until the service had ended. */
    async stop() {
      const startedAt = performance.now()
      child.kill('SIGTERM')
      const [code] = await closed
      const ms = performance.now() - startedAt
      process.off('exit', cleanUp)
      cleanUp()
      return { code: /** @type {number | null} */ (code), ms }
    },
  }
}

/** @param {string} url */
const isReady = (url) =>
  fetch(`${url}/health/ready`).then(
    ({ ok }) => ok,
    () => false,
  )
