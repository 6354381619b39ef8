import { existsSync, mkdtempSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { inject } from 'vitest'
import { start } from '../../support/command.ts'
import { freePort } from '../../support/port.js'

/** A PgBouncer in front of the test server. */
export interface Pooler {
  /** The URL of a database through it. */
  urlOf(database: string): string
  stop(): Promise<unknown>
}

/** Looks for PgBouncer. Debian does not put it on the PATH of every account. @returns the program, or why it is missing */
export function findPooler(): { program: string } | { missing: string } {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin']
  const program = folders.map((folder) => join(folder, 'pgbouncer')).find((file) => existsSync(file))
  return program ? { program } : { missing: 'PgBouncer is missing; on Debian: apt-get install pgbouncer' }
}

/** Starts PgBouncer in transaction mode. @param size server connections that all clients of a database share */
export async function startPooler(size: number): Promise<Pooler> {
  const [pooler, server] = [inject('pooler'), inject('postgres')]
  if ('missing' in pooler) throw new Error(pooler.missing)
  if ('missing' in server) throw new Error(server.missing)
  const { hostname, port, username, password } = new URL(server.url)
  const target = {
    host: hostname,
    port: port || '5432',
    user: decodeURIComponent(username),
    ...(password && { password: decodeURIComponent(password) }),
  }
  const own = await freePort()
  const file = join(mkdtempSync(join(inject('scratch'), 'pooler-')), 'pgbouncer.ini')
  const connection = Object.entries(target).map(([name, value]) => `${name}='${value.replaceAll("'", "''")}'`)
  const settings = {
    listen_addr: '127.0.0.1',
    listen_port: own,
    unix_socket_dir: '',
    auth_type: 'any',
    pool_mode: 'transaction',
    default_pool_size: size,
    max_client_conn: 100,
  }
  const lines = Object.entries(settings).map(([name, value]) => `${name} = ${value}`)
  writeFileSync(file, ['[databases]', `* = ${connection.join(' ')}`, '[pgbouncer]', ...lines, ''].join('\n'))
  // It refuses to run as root.
  const account = process.getuid?.() === 0 ? ['-u', 'nobody'] : []
  const running = start(pooler.program, [...account, file], { cwd: '/' })
  await running.until(/process up/)
  return {
    urlOf: (database) => {
      const url = new URL(database)
      url.hostname = '127.0.0.1'
      url.port = String(own)
      return url.href
    },
    stop: () => {
      running.signal('SIGTERM')
      return running.ended
    },
  }
}
