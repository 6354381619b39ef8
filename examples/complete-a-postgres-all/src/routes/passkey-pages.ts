import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'

/** What browsers load of @simplewebauthn/browser. The pages load no code from other sites. */
const entry = createRequire(import.meta.url).resolve('@simplewebauthn/browser')
const bundle = join(entry, '../../dist/bundle/index.umd.min.js')

export default (async (app) => {
  const schema = { hide: true }

  app.get('/pages/simplewebauthn.js', { schema }, async (_, reply) =>
    reply.type('text/javascript; charset=utf-8').send(await readFile(bundle)),
  )

  // Password managers ask where to add a passkey (https://www.w3.org/TR/passkey-endpoints/).
  app.get('/.well-known/passkey-endpoints', { schema }, async () => {
    const account = `${app.config.server.frontendUrl.replace(/\/$/, '')}/account`
    return { enroll: account, manage: account }
  })
}) satisfies FastifyPluginAsyncZod
