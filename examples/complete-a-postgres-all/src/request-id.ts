import { randomBytes, randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** The header of W3C Trace Context, version 00: exactly 55 characters, and neither of the ids is zero. */
const traceparent = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/

/**
 * The id of a request. With a valid traceparent it is the trace id and a random span id, so that the request is found
 * among the others of its trace. Random in any case: a client could reuse the id of another request, and hide in its log.
 */
export function createRequestId({ headers }: Pick<IncomingMessage, 'headers'>): string {
  if (typeof headers.traceparent !== 'string') return randomUUID()
  const [, traceId] = traceparent.exec(headers.traceparent) ?? []
  return traceId === undefined ? randomUUID() : `${traceId}-${randomBytes(8).toString('hex')}`
}
