import { inject } from 'vitest'
import { type CommandOptions, run, succeed } from './command.ts'
import { linkPackages } from './packages.ts'

/** The outcome of a successful run, as `--json` prints it. */
export interface Report {
  ok: boolean
  exitCode: number
  directory: string
  answers: Record<string, string>
  files: string[]
  steps: { name: string; status: string; detail?: string; command?: string }[]
  next: string[]
  reproduce: string
}

/** Runs the installed command without a terminal. */
export function cli(args: readonly string[], options: CommandOptions) {
  return run(inject('bin'), args, options)
}

/** Creates a project below `parent` that has to succeed. */
export async function createProject(parent: string, args: readonly string[]): Promise<Report> {
  const env = { GIT_CONFIG_GLOBAL: inject('gitConfig') }
  const { stdout } = await succeed(inject('bin'), [...args, '--json'], { cwd: parent, env })
  return JSON.parse(stdout)
}

/** Creates a project and links its packages, which takes a tenth of the time of an installation. */
export async function createLinked(parent: string, args: readonly string[]): Promise<Report> {
  const report = await createProject(parent, [...args, '--no-install'])
  linkPackages(report.directory, inject('modules'))
  return report
}
