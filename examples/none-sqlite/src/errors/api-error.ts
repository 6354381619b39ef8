import * as groups from './index.ts'

type Groups = typeof groups
export type ProblemName = { [Group in keyof Groups]: keyof Groups[Group] }[keyof Groups]

/** Every error that the service returns. Clients rely on status, title and code: add errors, but do not change them. */
export const problems = Object.assign({}, ...Object.values(groups)) as Record<ProblemName, Problem>

export interface ErrorDetails {
  /** The failed rules of a 422. */
  fields?: readonly FieldError[]
  /** The `detail` in the body. Default: the title. */
  detail?: string
  /** Further members of the body (RFC 9457 section 3.2). */
  members?: Record<string, unknown>
  /** Value of the Retry-After header, in seconds. */
  retryAfter?: number
  /** Adds to the logged event, or replaces it. */
  log?: Partial<LogEntry>
}

/** A logged event: its name, ids and fixed texts, never anything that was submitted. */
export interface LogEntry {
  event: string
  /** `silent`: counted only. */
  level?: 'info' | 'warn' | 'silent'
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

/** One failed rule of a request. It never contains the submitted value. */
export interface FieldError {
  field: string
  code: string
  message: string
}

export interface Problem {
  status: number
  /** Default: the message of the first failed rule. */
  title?: string
  /** The `code` in the body, if it differs from the name. */
  code?: string
  /** The WWW-Authenticate header (RFC 6750 section 3, RFC 9470). */
  challenge?: string
  /** The event that is logged. */
  event?: string
  /** A failed rule, for the example in the OpenAPI document. */
  failed?: FieldError
}

export type Problems = Record<string, Problem>
