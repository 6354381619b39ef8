import type { RunOptions, RunResult } from './run.ts'

/** How one of the steps after writing ended. */
export interface Step {
  readonly name: 'install' | 'git' | 'db:generate'
  readonly status: 'done' | 'skipped' | 'failed'
  /** Why it was skipped, or the end of what the failed program said. */
  readonly detail?: string
  /** Repeats the step, inside the project. */
  readonly command?: string
}

/** Runs a program inside the project; throws (interrupted) when a signal came meanwhile. */
export type RunInProject = (
  program: string,
  args: readonly string[],
  env?: RunOptions['env'],
) => Promise<RunResult>

const OUTPUT_LINES = 15

/** A step that did not run, and why. */
export function skipped(name: Step['name'], detail: string): Step {
  return { name, status: 'skipped', detail }
}

/** A step that failed: the end of what the program said, and the command that repeats it. */
export function failed(name: Step['name'], { output }: RunResult, command: string): Step {
  return {
    name,
    status: 'failed',
    detail: output.trim().split('\n').slice(-OUTPUT_LINES).join('\n'),
    command,
  }
}
