import fp from 'fastify-plugin'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'

/** What people type and where emails lead. The service has no page there, unless a route of yours or an add-on serves it. */
const paths = new Set([
  ...['/account', '/change-email', '/login', '/register'],
  ...['/forgot-password', '/resend-verification', '/reset-password', '/undo-email-change', '/verify-email'],
])

const text = `This service has no page here. Set FRONTEND_URL to your front end, or add pages to the service:

    npx create-authsmith@latest add pages
`

const missingPages: FastifyPluginAsyncZod = async (app) => {
  // Not routes: those of the service come first. A callback, because this hook runs on every request.
  app.addHook('onRequest', (request, reply, done) => {
    const [path = ''] = request.url.split('?', 1)
    if (!request.is404 || request.method !== 'GET' || !paths.has(path)) return done()
    reply.code(404).type('text/plain; charset=utf-8').send(text)
  })
}

/** Says where the pages are, to a developer who opens the link of an email or the address of a flow. */
export default fp(missingPages)
