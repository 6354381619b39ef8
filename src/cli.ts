import { fileURLToPath } from 'node:url'
import packageJson from '../package.json' with { type: 'json' }
import { EXIT } from './system/errors.ts'
import type { Output, System } from './system/system.ts'

const argv = process.argv.slice(2)

// Scripts call this often, so it loads nothing else.
if (argv.length === 1 && (argv[0] === '-v' || argv[0] === '--version')) {
  process.stdout.write(`${packageJson.version}\n`)
} else {
  // chalk ignores NO_COLOR (https://no-color.org), and Node's own colors ignore --no-color. Both obey FORCE_COLOR.
  if (process.env.NO_COLOR || argv.includes('--no-color')) process.env.FORCE_COLOR = '0'
  // `create-authsmith --help | head -1` closes the pipe early, which is not an error.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  const output: Output = {
    print: (text) => process.stdout.write(text),
    warn: (text) => process.stderr.write(text),
  }
  const { main } = await import('./cli/main.ts')
  // If the input ends at a prompt, the event loop runs out of work. That counts as an interruption.
  const atEnd = () => {
    process.exitCode = EXIT.interrupted
  }
  process.once('exit', atEnd)
  main(argv, output, () => realSystem(output)).then((exitCode) => {
    process.off('exit', atEnd)
    process.exitCode = exitCode
    // A grandchild of an interrupted installation may still hold its pipes open.
    if (exitCode === EXIT.interrupted) process.exit()
  })
}

async function realSystem(output: Output): Promise<System> {
  const [{ default: fs }, { run }] = await Promise.all([import('fs-extra'), import('./system/run.ts')])
  const interruption = new AbortController()
  const interactive = Boolean(process.stdin.isTTY && process.stdout.isTTY) && !process.env.CI
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => interruption.abort())
  return {
    ...output,
    fs,
    run,
    prompts: () => import('./system/inquirer.ts'),
    env: process.env,
    cwd: currentDirectory(),
    blueprints: fileURLToPath(new URL('../blueprints', import.meta.url)),
    interactive,
    terminal: () => ({ columns: process.stdout.columns || 80, rows: process.stdout.rows || 24 }),
    hasTerminal: Boolean(process.stderr.isTTY),
    signal: interruption.signal,
    now: Date.now,
    nodeVersion: process.versions.node,
    pid: process.pid,
    isAlive,
    progress,
  }
}

/** @returns '' if the current directory was removed */
function currentDirectory(): string {
  try {
    return process.cwd()
  } catch {
    return ''
  }
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

function progress(text: () => string): () => void {
  const startedAt = performance.now()
  if (!process.stderr.isTTY) return progressLines(text)
  const spinner = import('yocto-spinner').then(({ default: yoctoSpinner }) =>
    yoctoSpinner({ text: text(), handleSignals: false }).start(),
  )
  const timer = setInterval(async () => {
    const seconds = Math.floor((performance.now() - startedAt) / 1000)
    ;(await spinner).text = `${text()} (${seconds} s)`
  }, 1000)
  return () => {
    clearInterval(timer)
    spinner.then((started) => started.stop())
  }
}

/** Without a terminal: a line for each text. */
function progressLines(text: () => string): () => void {
  let last = ''
  const print = () => {
    const current = text()
    if (current !== last) process.stderr.write(`${current} …\n`)
    last = current
  }
  print()
  const timer = setInterval(print, 1000)
  return () => clearInterval(timer)
}
