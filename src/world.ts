import type { FileSystem } from './file-system.ts'
import type { Prompts } from './prompts.ts'
import type { Run } from './run.ts'

/** Everything outside: the parameter of all that reads, writes, asks or runs. Only cli.ts makes the real one. */
export interface World {
  readonly fs: FileSystem
  readonly run: Run
  readonly prompts: () => Promise<Prompts>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Empty where the current directory does not exist any more. */
  readonly cwd: string
  /** Where temporary files may go. */
  readonly temporary: string
  /** The folder with the layers. */
  readonly blueprints: string
  /** A terminal at both ends, and no CI: somebody can be asked. */
  readonly interactive: boolean
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pid: number
  readonly isAlive: (pid: number) => boolean
  /** What was asked for: the report, JSON, help. */
  readonly print: (text: string) => void
  /** Everything else: errors, warnings, progress. */
  readonly warn: (text: string) => void
  /** Shows that a long step runs; the function that comes back ends it. */
  readonly progress: (text: string) => () => void
}
