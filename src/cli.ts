import packageJson from '../package.json' with { type: 'json' }
import { EXIT } from './errors.ts'
import type { World } from './world.ts'

const argv = process.argv.slice(2)

// Nothing else is loaded for the version: it is asked for by scripts, and costs no more than node itself.
if (argv.length === 1 && (argv[0] === '-v' || argv[0] === '--version')) {
  process.stdout.write(`${packageJson.version}\n`)
} else {
  const [{ main }, world] = await Promise.all([import('./command.ts'), realWorld()])
  // Where the input ends at a prompt, the event loop runs dry: an interruption too.
  const atEnd = () => {
    process.exitCode = EXIT.interrupted
  }
  process.once('exit', atEnd)
  main(argv, world).then((exitCode) => {
    process.off('exit', atEnd)
    process.exitCode = exitCode
    // A grandchild of an interrupted installation may still hold its pipes open.
    if (exitCode === EXIT.interrupted) process.exit()
  })
}

async function realWorld(): Promise<World> {
  const [fs, { tmpdir }, { fileURLToPath }, { run }] = await Promise.all([
    import('node:fs'),
    import('node:os'),
    import('node:url'),
    import('./run.ts'),
  ])
  const interruption = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => interruption.abort())
  // `create-authsmith --help | head -1` closes the pipe early: no fault of anybody.
  for (const stream of [process.stdout, process.stderr]) stream.on('error', () => {})
  return {
    fs,
    run,
    prompts: async () => {
      const [input, select] = await Promise.all([import('@inquirer/input'), import('@inquirer/select')])
      return { input: input.default, select: select.default }
    },
    env: process.env,
    cwd: currentDirectory(),
    temporary: tmpdir(),
    blueprints: fileURLToPath(new URL('../blueprints', import.meta.url)),
    interactive: Boolean(process.stdin.isTTY && process.stdout.isTTY) && !process.env.CI,
    signal: interruption.signal,
    now: Date.now,
    pid: process.pid,
    isAlive,
    print: (text) => process.stdout.write(text),
    warn: (text) => process.stderr.write(text),
    progress,
  }
}

/** Empty where the directory was removed under the process. */
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

function progress(text: string): () => void {
  if (!process.stderr.isTTY) {
    process.stderr.write(`${text} …\n`)
    return () => {}
  }
  const spinner = import('yocto-spinner').then(({ default: yoctoSpinner }) =>
    yoctoSpinner({ text, handleSignals: false }).start(),
  )
  return () => void spinner.then((started) => started.stop())
}
