import type { LightMyRequestResponse } from 'fastify'

/** All of an answer but what differs from request to request by design. */
export function comparable({ statusCode, headers, body }: LightMyRequestResponse) {
  const { 'x-request-id': _id, date: _date, ...otherHeaders } = headers
  return { statusCode, headers: otherHeaders, body: body.replace(/"request_id":"[^"]*"/, '') }
}
