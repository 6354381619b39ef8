import fp from 'fastify-plugin'
import type { AppOptions } from '../app.ts'
import type { DeliveryContext } from '../email/delivery.ts'
import { createSmtpMailer, type Mailer } from '../email/smtp.ts'
import { startWorkers, type Workers } from '../email/workers.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** Sends the emails. Default: SMTP if the settings name a server. */
    mailer?: Mailer
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    email: {
      /** What sends the queued emails. Undefined without a mail server, because emails are kept. */
      delivery: DeliveryContext | undefined
    }
  }
}

/** Sends queued emails while the service listens: right after the request that queued them, and whenever a retry is due. */
export default fp<AppOptions>(
  async (app, options) => {
    const { config, ctx, log } = app
    const { smtp } = config.email
    const mailer = options.mailer ?? (smtp && (await createSmtpMailer(smtp)))
    const delivery = mailer && { ...ctx, mailer }
    const { from, listeners } = ctx.outbox
    if (mailer && from.address.endsWith('@example.com'))
      log.warn(`emails are sent from the placeholder ${from.address}: most servers will drop them`)

    app.decorate('email', { delivery })

    let workers: Workers | undefined
    app.addHook('onListen', async () => {
      if (delivery) workers = startWorkers(delivery)
      // The script dev brings a mailbox.
      else if (!options.plugins?.length) log.warn('no mail server is set: no email will be sent')
    })
    if (delivery) {
      let isQueued = false
      listeners.push(() => {
        isQueued = true
      })
      app.addHook('onResponse', async () => {
        if (isQueued) workers?.wake()
        isQueued = false
      })
    }
    app.addHook('onClose', async () => {
      await workers?.stop()
      await mailer?.close?.()
    })
  },
  { name: 'email', dependencies: ['lifecycle'] },
)
