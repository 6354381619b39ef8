import fp from 'fastify-plugin'
import { sendInvitations } from '../import/invitations.ts'
import { runEvery } from './jobs.ts'

/** Emails imported users who have no password a link to set one: some each second, so that mail servers take them. */
export default fp(
  async (app) => {
    runEvery(app, 1_000, 'invitations', (stop) => sendInvitations(app.ctx, stop))
  },
  { dependencies: ['lifecycle'] },
)
