import fp from 'fastify-plugin'
import { type DeliveryJob, startMailDelivery } from '../jobs/mail-delivery.ts'
import { smtpConnections } from '../mail/smtp.ts'

/** Sends mails while the service listens: at once after a request that queued one, and what is due later in time. */
export default fp(
  async (app) => {
    const { delivery, outbox } = app.mail
    if (!delivery) return
    let job: DeliveryJob | undefined

    app.addHook('onListen', async () => {
      job = startMailDelivery({
        delivery,
        workers: smtpConnections,
        onError: (error) => app.log.error({ err: error }, 'mail delivery failed'),
      })
    })
    app.addHook('onResponse', async () => {
      if (outbox.takeNews()) job?.wake()
    })
    app.addHook('onClose', async () => job?.stop())
  },
  { name: 'mail-delivery', dependencies: ['mail'] },
)
