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

/** A line of a program's stack, which says nothing to the user. npm starts its lines with its name. */
const STACK = /^(?:npm (?:error|ERR!) )?\s+at /

/** What Drizzle Kit prints when it has to ask about a rename: its output is read here, so it has no terminal. */
const ASKS = /^.*require a TTY terminal.*$/

/** The result of a tool that was not run, and why. */
export const skipped = (name: ToolRun['name'], detail: string): ToolRun => ({
  name,
  status: 'skipped',
  detail,
})

/** The result of a tool that failed: the end of its output, and the command that repeats it. */
export function failed(name: ToolRun['name'], { output }: RunResult, command: string): ToolRun {
  const lines = output.trim().split('\n')
  const detail = lines
    .filter((line) => !STACK.test(line))
    .slice(-OUTPUT_LINES)
    .map((line) => line.replace(ASKS, 'It needs an answer from you: run the command in a terminal.'))
    .join('\n')
  return { name, status: 'failed', detail, command }
}
