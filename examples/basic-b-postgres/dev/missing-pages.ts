import { existsSync } from 'node:fs'
import type { FastifyPluginAsync } from 'fastify'

/** The addresses that emails link to and that people type. */
const paths = ['account', 'login', 'register', 'change-email', 'change-password']

const answer =
  'There is no page here. Set FRONTEND_URL to the address of your front end, or add the account pages: create-authsmith add pages\n'

/** Tells a developer who opens a link of an email where the pages are. Does nothing in a project that has them. */
export default (async (app, { folder = new URL('../pages', import.meta.url) }) => {
  if (existsSync(folder)) return
  // A pattern, because Fastify prefers a static path: a route of your own for /login comes first.
  app.get(`/:page(^(?:${paths.join('|')})$)`, { schema: { hide: true } }, async (_request, reply) =>
    reply.code(404).type('text/plain; charset=utf-8').send(answer),
  )
}) satisfies FastifyPluginAsync<{ folder?: URL }>
