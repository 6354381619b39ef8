/** The exit codes of the command, as `--help` and README list them. */
export const EXIT = {
  done: 0,
  failed: 1,
  usage: 2,
  refused: 3,
  conflicts: 4,
  unchecked: 5,
  interrupted: 130,
} as const

export type ErrorCode = Exclude<keyof typeof EXIT, 'done'>

/**
 * An error that the user can fix. Shown as one line, without a stack; `code` decides the exit code.
 * The message may contain raw input, so print it through `visible`.
 */
export class UserError extends Error {
  override name = 'UserError'
  readonly code: ErrorCode

  constructor(code: ErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/** Ctrl-C, SIGTERM or the end of input. `message` says what is left behind. */
export const interrupted = (message = 'Interrupted. Nothing was written.'): UserError =>
  new UserError('interrupted', message)

export const wrongUsage = (message: string): UserError => new UserError('usage', message)
export const refused = (message: string): UserError => new UserError('refused', message)
export const failed = (message: string): UserError => new UserError('failed', message)
