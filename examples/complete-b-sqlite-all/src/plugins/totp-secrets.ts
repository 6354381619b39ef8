import fp from 'fastify-plugin'
import { resealSecrets } from '../totp/secrets.ts'
import { runEvery } from './jobs.ts'

/** Every hour: a former secret is listed for days. */
export default fp(
  async (app) => runEvery(app, 60 * 60_000, 'resealing', (stop) => resealSecrets(app.ctx, stop)),
  { dependencies: ['lifecycle'] },
)
