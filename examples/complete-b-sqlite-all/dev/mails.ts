import type { FastifyInstance } from 'fastify'
import { originOf } from './origin.ts'

/** Logs a line for each queued mail, with the place to read it. Only the start of the address: logs are pasted into issues. */
export function logMails(app: FastifyInstance): void {
  app.addHook('onReady', async () => {
    const { kept, outbox } = app.mail
    const { enqueue } = outbox
    outbox.enqueue = async (tx, mail) => {
      const isQueued = await enqueue(tx, mail)
      const place = kept ? `${originOf(app)}/dev/mailbox` : 'the mail server'
      if (isQueued) app.log.info(`mail to ${mail.to.replace(/@.*/, '@…')} → ${place}`)
      return isQueued
    }
  })
}
