import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { accountExport, exportAccount } from '../../../../../exports/export-account.ts'
import { logEvent } from '../../../../../problem.ts'

export default (async (app) => {
  app.get(
    '/export',
    {
      // Costs as much as dozens of other requests, if there are many rows.
      onRequest: [app.requireUser, app.userLimit('account export', 10)],
      schema: {
        operationId: 'exportAccount',
        summary: 'All that is stored about the current user',
        description:
          'Without secrets: no password hash and no tokens. If the account is deleted, only a keyed hash of the username stays.',
        response: { 200: accountExport },
      },
    },
    async (request) => {
      logEvent(request, { event: 'user.exported' })
      return exportAccount(app.db.read, request.user, app.now())
    },
  )
}) satisfies FastifyPluginAsyncZod
