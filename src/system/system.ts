import type { FileSystem } from './file-system.ts'
import type * as inquirer from './inquirer.ts'
import type { Run } from './run.ts'

export type Prompts = typeof inquirer

export interface Output {
  /** Writes to standard output: the report, JSON, help. */
  readonly print: (text: string) => void
  /** Writes to standard error: errors, warnings, progress. */
  readonly warn: (text: string) => void
}

/** Everything outside the process, injected so that tests can replace it. Only cli.ts creates the real one. */
export interface System extends Output {
  readonly fs: FileSystem
  readonly run: Run
  readonly prompts: () => Promise<Prompts>
  readonly env: Readonly<Record<string, string | undefined>>
  /** Empty if the current directory was removed. */
  readonly cwd: string
  /** The folder with the layers. */
  readonly blueprints: string
  /** Whether prompts are possible: input and output are a terminal, and CI is not set. */
  readonly interactive: boolean
  /** The size of the terminal that prompts are shown in. */
  readonly terminal: () => { readonly columns: number; readonly rows: number }
  /** Whether standard error is a terminal, so that a progress line can be redrawn. */
  readonly hasTerminal: boolean
  /** Aborted by Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal
  /** Milliseconds since 1970. */
  readonly now: () => number
  readonly pid: number
  readonly isAlive: (pid: number) => boolean
  /** Such as "20.19.0". */
  readonly nodeVersion: string
  /**
   * Shows that a long step is running, and for how many seconds. Call the returned function when it ends.
   * @param text called once a second, because what runs may change
   */
  readonly progress: (text: () => string) => () => void
}
