export interface RunOptions {
  readonly cwd: string
  /** Added to the environment of this process; undefined removes a variable. */
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

export interface RunResult {
  readonly ok: boolean
  /** Whether a signal ended it. Ctrl-C also reaches the program, which may end before this process handles the signal. */
  readonly interrupted?: boolean
  /** Whether the program is not installed. */
  readonly missing?: boolean
  /** Standard output and standard error, to show if the program fails. */
  readonly output: string
}

/**
 * Runs a program with an array of arguments, never through a shell. It gets no input, and its output is captured.
 * Never throws: a missing or interrupted program is a failed one.
 */
export type Run = (command: string, args: readonly string[], options: RunOptions) => Promise<RunResult>

/** The exit code of a program that catches Ctrl-C: 128 + SIGINT. */
const INTERRUPTED = 130

/** Runs programs of this machine. */
export const run: Run = async (command, args, { cwd, env = {}, signal }) => {
  const { execa } = await import('execa')
  if (signal.aborted) return { ok: false, output: 'interrupted' }
  // Without `preferLocal`: a program in the project's node_modules/.bin could replace git or npm (CWE-426).
  // Without `cleanup`: its signal handlers would end this process before it can report what is left behind.
  const program = execa(command, args, {
    cwd,
    env,
    stdin: 'ignore',
    stripFinalNewline: false,
    reject: false,
    cleanup: false,
  })
  const ended = program.then(({ failed, code, exitCode, signal, stdout, stderr, originalMessage }) => {
    if (code === 'ENOENT') return { ok: false, missing: true, output: `${command} is not installed` }
    if (exitCode === undefined && signal === undefined) return { ok: false, output: originalMessage ?? '' }
    const interrupted = signal !== undefined || exitCode === INTERRUPTED
    return { ok: !failed, output: stdout + stderr, ...(interrupted && { interrupted }) }
  })
  let onAbort = () => {}
  // Resolves immediately, because a grandchild may hold the pipes open long after the signal.
  const interrupted = new Promise<RunResult>((resolve) => {
    onAbort = () => {
      program.kill()
      resolve({ ok: false, output: 'interrupted' })
    }
  })
  signal.addEventListener('abort', onAbort)
  return Promise.race([ended, interrupted]).finally(() => signal.removeEventListener('abort', onAbort))
}
