import { type Client, client } from './client.ts'
import { type Finished, type Running, start } from './command.ts'

export interface Service extends Client {
  readonly running: Running
  /** Sends a signal; resolves when the service and what it started has ended. */
  stop(signal?: NodeJS.Signals): Promise<Finished>
}

export interface ServiceOptions {
  /** The project's folder, built. */
  cwd: string
  /** Settings. PORT=0, any free port, is there already. */
  env?: Record<string, string>
  /** By default the service alone, so that a signal reaches it without npm in between. */
  command?: readonly [string, ...string[]]
}

/** Starts a generated service and resolves when it listens. Rejects where it ends before that. */
export async function startService(options: ServiceOptions): Promise<Service> {
  const { cwd, env, command = ['node', 'dist/server.js'] } = options
  const [program, ...args] = command
  const running = start(program, args, { cwd, env: { PORT: '0', ...env } })
  const [, port] = await running.until(/listening at http:\/\/127\.0\.0\.1:(\d+)/)
  return {
    ...client(`http://127.0.0.1:${port}`),
    running,
    stop: (signal = 'SIGTERM') => {
      running.signal(signal)
      return running.ended
    },
  }
}
