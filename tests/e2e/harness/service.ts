import { type Finished, type Running, start } from '../../support/command.ts'
import { type Client, client } from './client.ts'

export interface Service extends Client {
  readonly running: Running
  /** Sends a signal. Resolves when the service and its child processes have ended. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

export interface ServiceOptions {
  /** The folder of a built project. */
  cwd: string
  /** Settings. PORT defaults to 0, any free port, and NODE_ENV to development. An empty value counts as not set. */
  env?: Record<string, string>
  /** Defaults to the built service. Node without npm, so that signals reach the service directly. */
  command?: readonly [string, ...string[]]
}

/** The cheapest hashes that both profiles allow: no test of a running service measures hashing. */
const CHEAP_HASHES = { BCRYPT_COST: '10', ARGON2_MEMORY_KIB: '19456', ARGON2_TIME_COST: '2' }

/** Shows the OpenAPI document, which the tests read. */
const DEVELOPMENT = { NODE_ENV: 'development' }

/** Starts a generated service. Resolves when it listens and has migrated, and rejects if it ends before that. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { cwd, env, command = ['node', 'dist/server.js'] } = options
  const [program, ...args] = command
  const running = start(program, args, { cwd, env: { PORT: '0', ...DEVELOPMENT, ...CHEAP_HASHES, ...env } })
  const [, port] = await running.until(/listening at http:\/\/127\.0\.0\.1:(\d+)/)
  await running.until(/database ready/)
  return {
    ...client(`http://127.0.0.1:${port}`),
    running,
    stop: (signal = 'SIGTERM') => {
      running.signal(signal)
      return running.ended
    },
  }
}
