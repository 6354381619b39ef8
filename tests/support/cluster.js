import { execFile, execFileSync, spawnSync } from 'node:child_process'
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { promisify } from 'node:util'
import { freePort } from './port.js'

const run = promisify(execFile)
const debian = '/usr/lib/postgresql'

/**
 * A separate PostgreSQL server, in a temporary folder and on a free port, that tests can stop and start.
 * @typedef {object} Cluster
 * @property {string} url for DATABASE_URL
 * @property {number} port
 * @property {string} log the file that the server writes
 * @property {(mode: 'fast' | 'immediate') => Promise<void>} stop resolves when it has ended
 * @property {() => Promise<void>} start resolves when it accepts connections
 * @property {() => Promise<void>} revive starts it unless it runs, and resolves when it accepts connections
 * @property {() => Promise<void>} promote makes a replica accept writes
 * @property {(...statements: string[]) => Promise<string>} sql runs statements. Resolves to the rows of the last one as text
 * @property {() => void} freeze stops all of its processes where they are
 * @property {() => void} thaw resumes them
 * @property {() => void} remove ends it and deletes its folder
 */

/** The folder of PostgreSQL's programs; undefined if they are not installed. */
export function findPostgres() {
  const folders = existsSync(debian)
    ? readdirSync(debian)
        .sort((a, b) => Number(b) - Number(a))
        .map((version) => join(debian, version, 'bin'))
    : []
  try {
    folders.unshift(execFileSync('pg_config', ['--bindir'], { encoding: 'utf8', stdio: 'pipe' }).trim())
  } catch {
    // Not every package brings pg_config.
  }
  return folders.find((folder) => existsSync(join(folder, 'initdb')))
}

/**
 * @param {string} programs from findPostgres()
 * @param {Record<string, string>} [settings] of the server
 * @param {object} [options]
 * @param {string} [options.parent] the folder for its data
 * @param {Cluster} [options.replicaOf] copies this server and follows it
 * @returns {Promise<Cluster>}
 */
export async function createCluster(programs, settings = {}, { parent = tmpdir(), replicaOf } = {}) {
  const folder = mkdtempSync(join(parent, 'create-authsmith-cluster-'))
  const account = serverAccount()
  if (account.uid !== undefined) chownSync(folder, account.uid, account.gid)
  const data = join(folder, 'data')
  const log = join(folder, 'log')
  /** @param {string[]} args */
  const control = (...args) => ['-D', data, '-w', '-t', '60', ...args]
  /** @param {string} program @param {string[]} args */
  const call = (program, args) => run(join(programs, program), args, { ...account, cwd: folder })
  /** @param {string} program @param {string[]} args */
  const succeeds = (program, args) =>
    call(program, args).then(
      () => true,
      () => false,
    )

  if (replicaOf) await call('pg_basebackup', ['-D', data, '-d', replicaOf.url, '-R', '-c', 'fast'])
  else await call('initdb', ['-D', data, '-U', 'service', '-A', 'trust', '-E', 'UTF8', '--no-locale'])
  const port = await freePort()
  const url = `postgres://service@127.0.0.1:${port}/postgres`
  const options = { ...settings, port, listen_addresses: '127.0.0.1', unix_socket_directories: '' }
  const flags = Object.entries(options).map(([name, value]) => `-c ${name}='${value}'`)
  const start = async () => {
    await call('pg_ctl', control('start', '-s', '-l', log, '-o', flags.join(' ')))
  }
  /** @param {NodeJS.Signals} name */
  const signal = (name) => {
    const server = readFileSync(join(data, 'postmaster.pid'), 'utf8').split('\n', 1)[0] ?? ''
    const workers = execFileSync('pgrep', ['-P', server], { encoding: 'utf8' }).trim().split('\n')
    for (const pid of [server, ...workers]) process.kill(Number(pid), name)
  }
  const remove = () => {
    spawnSync(join(programs, 'pg_ctl'), control('stop', '-s', '-m', 'immediate'), { ...account, cwd: folder })
    rmSync(folder, { recursive: true, force: true })
    process.off('exit', remove)
  }
  process.once('exit', remove)
  await start()
  return {
    url,
    port,
    log,
    stop: async (mode) => void (await call('pg_ctl', control('stop', '-s', '-m', mode))),
    start,
    async revive() {
      // A server that crashes may start itself again, or fail at that.
      for (;;) {
        if (await succeeds('pg_isready', ['-q', '-d', url])) return
        if (!(await succeeds('pg_ctl', ['-D', data, 'status']))) await start().catch(() => {})
        await delay(100)
      }
    },
    promote: async () => void (await call('pg_ctl', control('promote', '-s'))),
    async sql(...statements) {
      const args = statements.flatMap((statement) => ['-c', statement])
      return (await call('psql', ['-d', url, '-AtqX', '-v', 'ON_ERROR_STOP=1', ...args])).stdout.trim()
    },
    freeze: () => signal('SIGSTOP'),
    thaw: () => signal('SIGCONT'),
    remove,
  }
}

/** PostgreSQL refuses to run as root, so root starts it as postgres. */
function serverAccount() {
  if (process.getuid?.() !== 0) return {}
  /** @param {string} flag */
  const id = (flag) => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }))
  return { uid: id('-u'), gid: id('-g') }
}
