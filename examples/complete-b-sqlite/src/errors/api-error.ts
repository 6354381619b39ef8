import * as groups from './index.ts'
import type { FieldError, Problem } from './types.ts'

type Groups = typeof groups
export type ProblemName = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups]

/** Every error that the service returns. Clients rely on status, title and code: add errors, but do not change them. */
export const problems = Object.assign({}, ...Object.values(groups)) as Record<ProblemName, Problem>

export interface ErrorDetails {
  /** The failed rules of a 422. */
  fields?: readonly FieldError[]
  /** The `detail` in the body. Default: the title. */
  detail?: string
  /** Value of the Retry-After header, in seconds. */
  retryAfter?: number
  /** Adds to the logged event, or replaces it. */
  log?: Partial<LogEntry>
}

/** A logged event: its name, ids and fixed texts, never anything that was submitted. */
export interface LogEntry {
  event: string
  level?: 'info' | 'warn'
  userId?: number | undefined
  sessionId?: number
  /** The superuser who did it to this user. */
  by?: number
  /** The limit that was reached. */
  limit?: string
}

/** An error that is sent to the client. Throw it anywhere below a route; the error handler sends the response. */
export class ApiError extends Error {
  override name = 'ApiError'
  readonly problem: Problem & { code: string; title: string }
  readonly details: ErrorDetails
  /** The event that the error handler logs. */
  readonly logEntry: LogEntry | undefined

  constructor(name: ProblemName, details: ErrorDetails = {}) {
    const problem: Problem = problems[name]
    const title = problem.title ?? details.fields?.[0]?.message ?? name
    super(title)
    this.problem = { code: name, ...problem, title }
    this.details = details
    const event = details.log?.event ?? problem.event
    this.logEntry = event === undefined ? undefined : { ...details.log, event }
  }
}
