import fp from 'fastify-plugin'
import { startMailRequests } from '../jobs/mail-requests.ts'

/** Handles requests for mails while the service listens, also without a mail server. */
export default fp(
  async (app) => {
    const { mailRequests } = app.accounts
    let stop: (() => Promise<void>) | undefined
    app.addHook('onListen', async () => {
      const onError = (error: unknown) => app.log.error({ err: error }, 'mail request failed')
      stop = startMailRequests({ mailRequests, onError })
    })
    app.addHook('onClose', async () => stop?.())
  },
  { dependencies: ['accounts'] },
)
