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
