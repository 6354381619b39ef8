import fp from 'fastify-plugin'
import type { AppOptions } from '../app.ts'
import { brandVariables } from '../appearance.ts'
import { type DeliveryJob, mailWorkers, startMailDelivery } from '../jobs/mail-delivery.ts'
import { createDelivery, type Delivery } from '../mail/delivery.ts'
import { type Mailer, maxConnections } from '../mail/mailer.ts'
import { openOutbox } from '../mail/open-outbox.ts'
import type { Outbox, OutboxTime } from '../mail/outbox.ts'
import { createQueuedVariables } from '../mail/queued-variables.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** Sends the mails. Default: SMTP if the settings name a server. */
    mailer?: Mailer
    /** When mails are due. Default: by the clock of the database. */
    mailTime?: OutboxTime
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    mail: {
      outbox: Outbox
      /** Sends the queued mails. Undefined without a mail server, because mails are kept. */
      delivery: Delivery | undefined
    }
  }
}

/**
 * Queues mails in the outbox and sends them while the service listens: right after the request that queued them, and
 * whenever a retry is due.
 */
export default fp<AppOptions>(
  async (app, options) => {
    const { config, db, now, log } = app
    const { smtp } = config.email
    const brand = brandVariables(config)
    const queuedVariables = createQueuedVariables(config)
    const { from, outbox, templates, time } = await openOutbox({
      brand,
      config,
      log,
      now,
      time: options.mailTime,
    })
    // Load the library only if it is used.
    const mailer = options.mailer ?? (smtp && (await import('../mail/smtp.ts')).createSmtpMailer(smtp))
    const attemptsPerDomain = mailWorkers / 2
    const delivery =
      mailer &&
      createDelivery({ attemptsPerDomain, db, from, log, mailer, now, queuedVariables, templates, time })
    if (!mailer && config.server.isProduction) log.warn('no mail server is set: no mail will be sent')
    if (mailer && from.address.endsWith('@example.com'))
      log.warn(`mails are sent from the placeholder ${from.address}: most servers will drop them`)

    app.decorate('mail', { outbox, delivery })

    let job: DeliveryJob | undefined
    if (delivery) {
      app.addHook('onListen', async () => {
        job = startMailDelivery({
          delivery,
          workers: mailWorkers,
          maxAttempts: maxConnections,
          onError: (error) => log.error({ err: error }, 'mail delivery failed'),
        })
      })
      app.addHook('onResponse', async () => {
        if (app.mail.outbox.queuedSinceLastCall()) job?.wake()
      })
    }
    app.addHook('onClose', async () => {
      await job?.stop()
      await mailer?.close?.()
    })
  },
  { name: 'mail', dependencies: ['starting'] },
)
