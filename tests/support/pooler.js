import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { freePort } from './port.js'
import { findProgram } from './programs.js'

/**
 * A PgBouncer in transaction mode.
 * @typedef {object} Pooler
 * @property {(database: string) => string} urlOf the URL of a database through it
 * @property {(signal?: NodeJS.Signals) => Promise<void>} stop resolves when it has ended
 * @property {() => Promise<void>} start starts it again, at the same address
 */

/** Looks for PgBouncer. @returns the program, or why it is missing */
export function findPooler() {
  const program = findProgram('pgbouncer')
  return program ? { program } : { missing: 'PgBouncer is missing; on Debian: apt-get install pgbouncer' }
}

/**
 * Starts PgBouncer in transaction mode.
 * @param {string} program from findPooler()
 * @param {string} server the URL of the PostgreSQL server
 * @param {object} options
 * @param {string} options.folder for its settings
 * @param {number} options.size server connections that all clients of a database share
 * @param {Record<string, string | number>} [options.settings] more settings
 * @returns {Promise<Pooler>}
 */
export async function startPooler(program, server, { folder, size, settings }) {
  const { hostname, port, username, password } = new URL(server)
  const target = {
    host: hostname,
    port: port || '5432',
    user: decodeURIComponent(username),
    ...(password && { password: decodeURIComponent(password) }),
  }
  const own = await freePort()
  const file = join(folder, `pgbouncer-${own}.ini`)
  const connection = Object.entries(target).map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`)
  const all = {
    listen_addr: '127.0.0.1',
    listen_port: own,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: size,
    max_client_conn: 100,
    ...settings,
  }
  const lines = Object.entries(all).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(file, ['[databases]', `* = ${connection.join(' ')}`, '[pgbouncer]', ...lines, ''].join('\n'))
  // It refuses to run as root, and reads the file before it changes the account.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  /** @type {import('node:child_process').ChildProcess | undefined} */
  let child
  process.once('exit', () => child?.kill('SIGKILL'))

  const start = async () => {
    const started = spawn(program, [...account, file], { cwd: '/', stdio: ['ignore', 'ignore', 'pipe'] })
    child = started
    let said = ''
    const ended = once(started, 'close')
    await new Promise((resolve, reject) => {
      started.stderr.setEncoding('utf8').on('data', (/** @type {string} */ part) => {
        said += part
        if (/process up/.test(said)) resolve(undefined)
      })
      ended.then(() => reject(new Error(`PgBouncer ended:\n${said}`)), reject)
    })
  }
  await start()
  return {
    urlOf: (database) => {
      const url = new URL(database)
      url.hostname = '127.0.0.1'
      url.port = String(own)
      return url.href
    },
    start,
    async stop(signal = 'SIGTERM') {
      if (!child || child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'close')
      child.kill(signal)
      await ended
    },
  }
}
