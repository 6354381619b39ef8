import { createInterface } from 'node:readline/promises'
import { Writable } from 'node:stream'

/**
 * A password from the terminal, typed unseen, or the first line of standard input where that is no terminal. It is
 * never taken from the arguments: every user of the machine can read those (ps), and the shell keeps them.
 */
export async function readPassword(): Promise<string> {
  const terminal = process.stdin.isTTY
  if (terminal) process.stderr.write('Password: ')
  const unseen = new Writable({ write: (_chunk, _encoding, done) => done() })
  const lines = createInterface({ input: process.stdin, output: unseen, terminal })
  lines.on('SIGINT', () => process.exit(130))
  try {
    for await (const line of lines) return line
    return ''
  } finally {
    lines.close()
    if (terminal) process.stderr.write('\n')
  }
}
