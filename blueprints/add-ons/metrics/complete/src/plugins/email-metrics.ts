import fp from 'fastify-plugin'
import { countDueEmails } from '../email/count-due.ts'

/** Adds the emails that are due to the metrics. */
export default fp(
  async (app) => {
    app.gauge('mails_due', 'Emails to send now, up to 10000', () => countDueEmails(app.ctx))
  },
  { dependencies: ['metrics'] },
)
