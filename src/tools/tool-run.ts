import type { RunOptions, RunResult } from '../system/run.ts'

/** The result of a tool that ran in a written project. */
export interface ToolRun {
  readonly name: 'install' | 'git' | 'db:generate'
  readonly status: 'done' | 'skipped' | 'failed'
  /** Why it was skipped, or the end of the failed program's output. */
  readonly detail?: string
  /** The command that repeats it, inside the project. */
  readonly command?: string
}

/** Runs a program inside the project. @throws UserError (interrupted) on a signal */
export type RunInProject = (
  program: string,
  args: readonly string[],
  env?: RunOptions['env'],
) => Promise<RunResult>

const OUTPUT_LINES = 15

/** The result of a tool that was not run, and why. */
export function skipped(name: ToolRun['name'], detail: string): ToolRun {
  return { name, status: 'skipped', detail }
}

/** The result of a tool that failed: the end of its output, and the command that repeats it. */
export function failed(name: ToolRun['name'], { output }: RunResult, command: string): ToolRun {
  return {
    name,
    status: 'failed',
    detail: output.trim().split('\n').slice(-OUTPUT_LINES).join('\n'),
    command,
  }
}
