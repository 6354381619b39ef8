import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { tmpdir } from 'node:os'

/** A program that takes longer is ended, and what it has printed counts. */
const limitMs = 10 * 60_000

/** Whether a program of the machine can be used. Installs its Debian package as root. @param {string} name */
export function hasProgram(name) {
  const isThere = () => spawnSync('which', [name]).status === 0
  if (!isThere() && process.getuid?.() === 0)
    spawnSync('apt-get', ['install', '-y', '-qq', '--no-install-recommends', name], { stdio: 'ignore' })
  return isThere()
}

/**
 * Runs a program and resolves to what it has printed, without colors.
 * @param {string} name
 * @param {string[]} args
 * @param {string} folder for the files that it writes
 */
export async function outputOf(name, args, folder = tmpdir()) {
  const child = spawn(name, args, {
    cwd: folder,
    env: { ...process.env, HOME: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: limitMs,
  })
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  let output = ''
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (/** @type {string} */ part) => {
      output += part
    })
  const [code] = await once(child, 'close')
  process.off('exit', stop)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: colors begin with one
  return { code, output: output.replaceAll(/\x1b\[[0-9;]*[A-Za-z]/g, '') }
}
