import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { extname } from 'node:path'
import type { FastifyReply } from 'fastify'
import fp from 'fastify-plugin'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { pathOf } from '../../src/problem.ts'
import { brand } from '../../src/settings/server.ts'
import { collectLinks, homeLinks } from '../links.ts'
import { onlyThisMachine } from '../this-machine.ts'
import { factsOf } from './facts.ts'

const homeFolder = new URL('.', import.meta.url)

const types: Partial<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
}

const pagePolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/** What runs, besides the mode and the settings. */
const variant = {
  Profile: 'A',
  Database: 'PostgreSQL',
}

const named = z.array(z.object({ name: z.string(), value: z.string() }))
const state = z.object({
  name: z.string(),
  links: z.array(z.object({ name: z.string(), path: z.string() })),
  facts: named,
})

/** Sends a file of dev/home/. It is read on every request, so that edits show up without a restart. */
async function sendFile(reply: FastifyReply, name: string) {
  const content = await readFile(new URL(name, homeFolder))
  return reply
    .header('content-security-policy', pagePolicy)
    .header('cross-origin-opener-policy', 'same-origin')
    .type(types[extname(name)] ?? '')
    .send(content)
}

const home: FastifyPluginAsyncZod = async (app) => {
  collectLinks(app)
  // Not a route: one of your own for / comes first. A callback, because this hook runs on every request.
  app.addHook('onRequest', (request, reply, done) => {
    const isHome = request.is404 && request.method === 'GET' && pathOf(request) === '/'
    if (!isHome) return done()
    onlyThisMachine(request)
      .then(() => sendFile(reply, 'home.html'))
      .catch(done)
  })

  const options = { onRequest: onlyThisMachine, logLevel: 'warn' } as const
  const schema = { hide: true }
  for (const file of readdirSync(homeFolder).filter((name) => /\.(css|js)$/.test(name)))
    app.get(`/dev/${file}`, { schema, ...options }, (_request, reply) => sendFile(reply, file))
  app.get('/dev/home.json', { schema: { ...schema, response: { 200: state } }, ...options }, async () => {
    const { Mode, ...settings } = factsOf(app)
    const facts = Object.entries({ Mode, ...variant, ...settings })
    return { name: brand.name, links: homeLinks(app), facts: facts.map(([name, value]) => ({ name, value })) }
  })
}

/** The home page: what runs, and what to try. It shows settings, so it answers only to browsers on this machine. */
export default fp(home)
