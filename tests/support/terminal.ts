import { stripVTControlCharacters } from 'node:util'
import { type CommandOptions, type Finished, type Running, run, start } from './command.ts'

/** Connects a pseudo-terminal to pipes with Python's pty module, and exits with the program's exit code. */
const PTY = 'import os, pty, sys; sys.exit(os.waitstatus_to_exitcode(pty.spawn(sys.argv[1:])) % 256)'

export const KEYS = { enter: '\r', up: '\u001b[A', down: '\u001b[B', ctrlC: '\u0003' } as const

export interface Terminal {
  readonly ended: Promise<Finished>
  /** All output so far, with escape sequences. */
  shown(): string
  /** All output so far, without escape sequences. */
  text(): string
  /** Waits until output matches that no earlier call has matched. */
  until(pattern: RegExp): Promise<void>
  type(keys: string): void
}

/** Why a pseudo-terminal is not available here, or undefined if it is. */
export async function terminalMissing(cwd: string): Promise<string | undefined> {
  const works = await run('python3', ['-c', PTY, 'true'], { cwd }).catch(() => undefined)
  return works?.code === 0 ? undefined : 'python3 with the pty module is missing'
}

/** Starts a program in a pseudo-terminal of 80 columns. */
export function startInTerminal(command: string, args: readonly string[], options: CommandOptions): Terminal {
  const env = { TERM: 'xterm-256color', ...options.env }
  const running: Running = start('python3', ['-c', PTY, command, ...args], { ...options, env, input: 'open' })
  let seen = 0
  const text = () => stripVTControlCharacters(running.output())
  return {
    ended: running.ended,
    shown: running.output,
    text,
    until: (pattern) =>
      new Promise((resolve, reject) => {
        const look = () => {
          const match = pattern.exec(text().slice(seen))
          if (!match) return
          seen += match.index + match[0].length
          running.child.stdout.off('data', look)
          resolve()
        }
        running.child.stdout.on('data', look)
        running.ended.then(() => reject(new Error(`ended before ${pattern}:\n${text()}`)), reject)
        look()
      }),
    type: (keys) => running.child.stdin.write(keys),
  }
}
