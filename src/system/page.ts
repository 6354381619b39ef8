import { execa } from 'execa'

/**
 * Shows a long text in the user's pager, as git does: PAGER is a command line, and none if it is empty.
 * @returns whether the pager showed it. `false` if there is none, or if it failed
 */
export async function page(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const { PAGER = 'less', TERM } = env
  if (PAGER.trim() === '' || PAGER === 'cat' || TERM === 'dumb') return false
  // F: ends if the text fits the screen. R: obeys colors. X: leaves the text on the screen.
  const { exitCode } = await execa(PAGER, {
    shell: true,
    input: text,
    env: { LESS: 'FRX', ...env },
    stdout: 'inherit',
    stderr: 'inherit',
    reject: false,
    // execa would end the pager at Ctrl-C.
    cleanup: false,
  })
  return exitCode === 0
}
