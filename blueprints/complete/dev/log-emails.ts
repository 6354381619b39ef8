import type { FastifyInstance } from 'fastify'
import { originOf } from './origin.ts'

/** Logs a line for each queued email, with the place to read it. Only the start of the address: logs are pasted into issues. */
export async function logEmails(app: FastifyInstance): Promise<void> {
  app.ctx.outbox.listeners.push(({ to }) => {
    const place = app.email.delivery ? 'the mail server' : `${originOf(app)}/dev/mailbox`
    app.log.info(`email to ${to.replace(/@.*/, '@…')} → ${place}`)
  })
}
