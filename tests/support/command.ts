import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { environment } from './environment.ts'

export interface CommandOptions {
  cwd: string
  /** Added to the clean environment. */
  env?: Record<string, string>
  /** What standard input holds, which then ends; empty by default. `open` leaves it to the caller. */
  input?: string | 'open'
}

export interface Finished {
  /** Exit code; null if a signal ended the process. */
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

export interface Running {
  readonly child: ChildProcessWithoutNullStreams
  /** Standard output so far. */
  output(): string
  /** Waits until the output matches, on either stream. Rejects if the process ends before. */
  until(pattern: RegExp): Promise<RegExpExecArray>
  /** Sends a signal to the process and all its descendants. */
  signal(name: NodeJS.Signals): void
  /** The exit code and the output. Rejects if the program does not exist. */
  readonly ended: Promise<Finished>
}

/** Processes to kill if they are still running when the tests end. */
const alive = new Set<Running>()
process.once('exit', () => {
  for (const running of alive) running.signal('SIGKILL')
})

/** Starts a program with a clean environment, in a new process group, without a terminal. */
export function start(command: string, args: readonly string[], options: CommandOptions): Running {
  const { cwd, env, input = '' } = options
  const child = spawn(command, args, { cwd, env: environment(env), detached: true })
  const said = { stdout: '', stderr: '' }
  for (const stream of ['stdout', 'stderr'] as const) {
    child[stream].setEncoding('utf8').on('data', (part: string) => {
      said[stream] += part
    })
  }
  // A program may end without reading what it is given.
  child.stdin.on('error', () => {})
  if (input !== 'open') child.stdin.end(input)

  const ended = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => resolve({ code, signal, ...said }))
  })
  const running: Running = {
    child,
    ended,
    output: () => said.stdout,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(said.stdout) ?? pattern.exec(said.stderr)
          if (!match) return
          for (const stream of ['stdout', 'stderr'] as const) child[stream].off('data', look)
          resolve(match)
        }
        for (const stream of ['stdout', 'stderr'] as const) child[stream].on('data', look)
        look()
        const missed = () =>
          reject(new Error(`${command} ended before ${pattern}:\n${said.stdout}${said.stderr}`))
        ended.then(missed, reject)
      }),
    signal: (name) => signalGroup(child.pid, name),
  }
  alive.add(running)
  ended.catch(() => {}).finally(() => alive.delete(running))
  return running
}

/** Runs a program until it ends, with any exit code. */
export function run(command: string, args: readonly string[], options: CommandOptions): Promise<Finished> {
  return start(command, args, options).ended
}

/** Runs a program that must succeed. Otherwise the error contains its output. */
export async function succeed(
  command: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<Finished> {
  const result = await run(command, args, options)
  if (result.code === 0) return result
  const end = result.signal ?? `exit code ${result.code}`
  throw new Error(`${command} ${args.join(' ')}: ${end}\n${result.stdout}${result.stderr}`)
}

function signalGroup(pid: number | undefined, signal: NodeJS.Signals): void {
  try {
    if (pid !== undefined) process.kill(-pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
