import fp from 'fastify-plugin'
import { deriveKeys } from '../accounts/keys.ts'
import type { AppOptions } from '../app.ts'
import { createDelivery, type Delivery } from '../mail/delivery.ts'
import { createKeptMails, type KeptMails } from '../mail/kept-mails.ts'
import type { Mailer } from '../mail/mailer.ts'
import { createOutbox, type Outbox } from '../mail/outbox.ts'
import { createSmtpMailer } from '../mail/smtp.ts'
import { loadMailTemplates } from '../mail/templates.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** What sends the mails; by default SMTP, where the settings name a server. */
    mailer?: Mailer
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    mail: {
      outbox: Outbox
      /** What sends mails; undefined where nothing does: then they are kept. */
      delivery: Delivery | undefined
      /** For the developer to read, where nothing is sent; undefined in production. */
      kept: KeptMails | undefined
      /** Sends what is due, one mail after another. @returns how many were tried */
      deliverDue(): Promise<number>
    }
  }
}

/** Mails: queued in the outbox, and sent from there by plugins/mail-delivery.ts. */
export default fp<AppOptions>(
  async (app, options) => {
    const { config, db, now, log } = app
    const { from, smtp } = config.mail
    const keys = deriveKeys(config.accessTokens).outbox
    const templates = await loadMailTemplates()
    const mailer = options.mailer ?? (smtp && createSmtpMailer(smtp))
    const delivery = mailer && createDelivery({ db, from, keys, log, mailer, now, templates })
    const isKept = !mailer && !config.server.isProduction
    if (!mailer && config.server.isProduction) log.warn('no mail server is set: no mail will be sent')
    if (mailer && from.address.endsWith('@example.com'))
      log.warn(`mails are sent from the placeholder ${from.address}: most servers will drop them`)

    app.decorate('mail', {
      outbox: createOutbox({ settings: config.mail, keys, now, templates }),
      delivery,
      kept: isKept ? createKeptMails(db, keys) : undefined,
      async deliverDue() {
        let tried = 0
        while (await delivery?.deliverNext()) tried += 1
        return tried
      },
    })
    app.addHook('onClose', async () => mailer?.close?.())
  },
  { name: 'mail' },
)
