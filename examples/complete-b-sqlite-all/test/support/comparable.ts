import type { LightMyRequestResponse } from 'fastify'

/** A response without the parts that differ for each request. */
export function comparable({ statusCode, headers, body }: LightMyRequestResponse) {
  const { 'x-request-id': _id, date: _date, ...otherHeaders } = headers
  return { statusCode, headers: otherHeaders, body: body.replace(/"request_id":"[^"]*"/, '') }
}
