import type { execa as Execa } from 'execa'

export interface RunOptions {
  readonly cwd: string
  readonly env?: Readonly<Record<string, string | undefined>>
  readonly signal?: AbortSignal
}

export interface RunResult {
  readonly ok: boolean
  /** Both streams, for the user to read where it failed. */
  readonly output: string
}

/** Runs one program from an array of arguments, never through a shell; no input, output captured. Never throws. */
export type Run = (command: string, args: readonly string[], options: RunOptions) => Promise<RunResult>

export const run: Run = async (command, args, { cwd, env = {}, signal }) => {
  const { execa } = (await import('execa')) as { execa: typeof Execa }
  const result = await execa(command, args, {
    cwd,
    env,
    stdin: 'ignore',
    all: true,
    reject: false,
    ...(signal ? { cancelSignal: signal } : {}),
  })
  const output = result.all === '' && result.failed ? (result.shortMessage ?? '') : result.all
  return { ok: !result.failed, output }
}
