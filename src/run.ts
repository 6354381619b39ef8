export interface RunOptions {
  readonly cwd: string
  /** Added to the environment of this process; undefined takes a variable away. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

export interface RunResult {
  readonly ok: boolean
  /** It was ended by a signal. Ctrl-C reaches the program too, and its end may be seen before our own signal is. */
  readonly interrupted?: boolean
  /** There is no such program. */
  readonly missing?: boolean
  /** Both streams, for the user to read where it failed. */
  readonly output: string
}

/**
 * Runs one program from an array of arguments, never through a shell, with no input and its output captured.
 * Never throws: a program that is missing or was interrupted is one that failed.
 */
export type Run = (command: string, args: readonly string[], options: RunOptions) => Promise<RunResult>

/** What a program exits with that caught Ctrl-C: 128 + SIGINT. */
const INTERRUPTED = 130

export const run: Run = async (command, args, { cwd, env = {}, signal }) => {
  const { exec } = await import('tinyexec')
  const stop = new AbortController()
  const running = exec(command, args, {
    nodeOptions: { cwd, env: env as NodeJS.ProcessEnv, stdio: ['ignore', 'pipe', 'pipe'] },
    // Else the project's own node_modules/.bin could stand in for git or npm.
    nodePath: false,
    signal: stop.signal,
  })
  const finished = running.then(
    ({ exitCode, stdout, stderr }) => ({
      ok: exitCode === 0,
      output: stdout + stderr,
      ...((exitCode === undefined || exitCode === INTERRUPTED) && { interrupted: true }),
    }),
    (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT'
        ? { ok: false, missing: true, output: `${command} is not installed` }
        : { ok: false, output: error.message },
  )
  let onAbort = () => {}
  // Not waited for to the end: a grandchild may hold the pipes open for long after the signal.
  const interrupted = new Promise<RunResult>((resolve) => {
    onAbort = () => {
      stop.abort()
      resolve({ ok: false, output: 'interrupted' })
    }
  })
  signal.addEventListener('abort', onAbort)
  if (signal.aborted) onAbort()
  return Promise.race([finished, interrupted]).finally(() => signal.removeEventListener('abort', onAbort))
}
