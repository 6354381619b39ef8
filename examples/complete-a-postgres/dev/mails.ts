import type { FastifyInstance } from 'fastify'
import { originOf } from './origin.ts'

/** Logs a line for each queued mail, with the place to read it. Only the start of the address: logs are pasted into issues. */
export async function logMails(app: FastifyInstance): Promise<void> {
  const { delivery, outbox } = app.mail
  const { enqueue } = outbox
  outbox.enqueue = async (tx, mail) => {
    const isQueued = await enqueue(tx, mail)
    const place = delivery ? 'the mail server' : `${originOf(app)}/dev/mailbox`
    if (isQueued) app.log.info(`mail to ${mail.to.replace(/@.*/, '@…')} → ${place}`)
    return isQueued
  }
}
