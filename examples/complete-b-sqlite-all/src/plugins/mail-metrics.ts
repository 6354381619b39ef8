import fp from 'fastify-plugin'
import type { AppOptions } from '../app.ts'
import { timeIn } from '../db/queries.ts'
import { countDueMails } from '../mail/count-due.ts'

/** Adds the emails that are due to the metrics. */
export default fp<AppOptions>(
  async (app, { mailTime = timeIn }) => {
    app.gauge('mails_due', 'Emails to send now, up to 10000', () => countDueMails(app.db, mailTime))
  },
  { dependencies: ['metrics'] },
)
