/** One failed rule of a request. It never contains the submitted value. */
export interface FieldError {
  field: string
  code: string
  message: string
}

interface Problem {
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

/** Every error that the service returns. Clients rely on status, title and code: add errors, but do not change them. */
export const problems = {
  bad_request: { status: 400, title: 'Bad request' },
  not_found: { status: 404, title: 'Not found' },
  request_timeout: { status: 408, title: 'Request timeout' },
  payload_too_large: { status: 413, title: 'Payload too large' },
  uri_too_long: { status: 414, title: 'URI too long' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  validation_failed: {
    status: 422,
    title: 'Validation failed',
    failed: { field: '', code: 'unknown_field', message: 'Unknown field' },
  },
  too_many_requests: { status: 429, title: 'Too many requests', event: 'limit.reached' },
  headers_too_large: { status: 431, title: 'Request header fields too large' },
  internal_error: { status: 500, title: 'Internal server error' },
  unavailable: { status: 503, title: 'Service unavailable' },
  weak_password: {
    status: 422,
    failed: {
      field: 'password',
      code: 'password_too_short',
      message: 'Password must be at least 8 characters',
    },
  },
  password_too_common: {
    status: 422,
    title: 'Password is too common',
    failed: { field: 'password', code: 'password_too_common', message: 'Password is too common' },
  },
  registration_closed: { status: 403, title: 'Registration is closed', event: 'registration.refused' },
  already_registered: {
    status: 409,
    title: 'Email or username already registered',
    event: 'user.duplicate',
  },
  invalid_credentials: {
    status: 401,
    title: 'Invalid credentials',
    challenge: 'Bearer',
    event: 'login.failed',
  },
  wrong_current_password: {
    status: 403,
    title: 'Invalid credentials',
    code: 'invalid_credentials',
    event: 'reauthentication.failed',
  },
  not_authenticated: {
    status: 401,
    title: 'Not authenticated',
    challenge: 'Bearer',
    event: 'access_token.missing',
  },
  token_expired: {
    status: 401,
    title: 'Token expired',
    challenge: 'Bearer error="invalid_token"',
    event: 'access_token.expired',
  },
  invalid_token: {
    status: 401,
    title: 'Invalid token',
    challenge: 'Bearer error="invalid_token"',
    event: 'access_token.refused',
  },
  reauthentication_required: {
    status: 403,
    title: 'Re-authentication required',
    challenge: 'Bearer error="insufficient_user_authentication", max_age="600"',
    event: 'reauthentication.required',
  },
  invalid_refresh_token: {
    status: 401,
    title: 'Invalid refresh token',
    challenge: 'Bearer error="invalid_token"',
    event: 'refresh.failed',
  },
  invalid_or_expired_token: { status: 400, title: 'Invalid or expired token', event: 'email_token.refused' },
  email_change_can_be_undone: {
    status: 409,
    title: 'Email change can be undone',
    event: 'user.not_deleted',
  },
  user_not_verified: { status: 403, title: 'User not verified', event: 'access.not_verified' },
  forbidden: { status: 403, title: 'Forbidden', event: 'access.forbidden' },
  own_account: { status: 409, title: 'Own account', event: 'deactivation.refused' },
} as const satisfies Record<string, Problem>

export type ProblemName = keyof typeof problems

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
