import { execa } from 'execa'

/**
 * Shows a long text in the user's pager, as git does.
 * @param env PAGER is the program and its arguments, separated by spaces
 * @returns whether the pager showed it. `false` if it is not installed
 */
export async function page(text: string, env: NodeJS.ProcessEnv): Promise<boolean> {
  const [program = '', ...args] = (env.PAGER || 'less').trim().split(/\s+/)
  // F: ends if the text fits the screen. R: obeys colors. X: leaves the text on the screen.
  const { code } = await execa(program, args, {
    input: text,
    env: { LESS: 'FRX', ...env },
    stdout: 'inherit',
    stderr: 'inherit',
    reject: false,
  })
  return code !== 'ENOENT'
}
