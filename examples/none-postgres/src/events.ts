import type { FastifyRequest } from 'fastify'
import type { LogEntry } from './errors/api-error.ts'

/** Logs an event of a request: with the address of the client, and the request's id from its logger. */
export function logEvent(request: FastifyRequest, { level = 'info', event, ...fields }: LogEntry): void {
  const entry = {
    event,
    ...fields,
    address: request.ip,
  }
  request.log[level](entry, event.replaceAll(/[._]/g, ' '))
}
