import { readFile } from 'node:fs/promises'
import type { FastifyReply } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { ApiError } from '../../src/errors/api-error.ts'
import { originOf } from '../links.ts'
import { onlyThisMachine } from '../this-machine.ts'
import { type KeptEmail, keptEmails } from './kept-emails.ts'

const path = '/dev/mailbox'

const files = [
  [path, 'mailbox.html', 'text/html'],
  [`${path}/mailbox.css`, 'mailbox.css', 'text/css'],
  [`${path}/mailbox.js`, 'mailbox.js', 'text/javascript'],
] as const

const pagePolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src data:; connect-src 'self'",
  "frame-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/** An email runs no scripts, loads nothing but the logo, from no other site, and opens links outside its frame. */
const emailPolicy = [
  'sandbox allow-popups allow-popups-to-escape-sandbox',
  "default-src 'none'; style-src 'unsafe-inline'; img-src 'self' data:",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'self'",
].join('; ')

const message = z.object({
  id: z.int(),
  to: z.string(),
  subject: z.string(),
  template: z.string(),
  created_at: z.iso.datetime(),
  text: z.string(),
  html: z.string(),
  /** The token for the endpoints, if the email has one, and the link or code that contains it. */
  token: z.string().optional(),
  url: z.string().optional(),
  code: z.string().optional(),
})

/**
 * Logs a line for each queued email, with the place to read it: the mailbox, if there is no mail server. It shows the
 * emails that wait in the outbox. They contain tokens for every account, so it answers only to browsers on this machine.
 */
export default (async (app) => {
  const isSent = app.email.delivery !== undefined
  app.ctx.outbox.listeners.push(({ to }) => {
    const place = isSent ? 'the mail server' : `${originOf(app)}${path}`
    // Only the start of the address: logs are pasted into issues.
    app.log.info(`email to ${to.replace(/@.*/, '@…')} → ${place}`)
  })
  if (isSent) return

  app.addHook('onRequest', onlyThisMachine)
  app.addHook('onListen', async () => {
    app.log.info(`emails are kept: ${app.listeningOrigin}${path}`)
  })

  for (const [url, name, type] of files) {
    const content = await readFile(new URL(name, import.meta.url))
    app.get(url, { schema: { hide: true } }, async (_request, reply) =>
      setHeaders(reply, pagePolicy, type).header('cross-origin-opener-policy', 'same-origin').send(content),
    )
  }

  app.get(
    `${path}/messages`,
    {
      schema: { hide: true, response: { 200: z.object({ messages: z.array(message) }) } },
      // The page polls every two seconds.
      logLevel: 'warn',
    },
    async () => ({ messages: (await keptEmails(app)).map(toMessage) }),
  )

  app.get(
    `${path}/messages/:id/html`,
    { schema: { hide: true, params: z.strictObject({ id: z.string() }) } },
    async (request, reply) => {
      const email = (await keptEmails(app)).find(({ id }) => String(id) === request.params.id)
      if (!email) throw new ApiError('not_found')
      return setHeaders(reply, emailPolicy, 'text/html').send(
        email.html.replace(/<head[^>]*>|$/i, '$&<base target="_blank">'),
      )
    },
  )
}) satisfies FastifyPluginAsyncZod

const toMessage = ({ createdAt, ...email }: KeptEmail) => ({ ...email, created_at: createdAt.toISOString() })

const setHeaders = (reply: FastifyReply, policy: string, type: string): FastifyReply =>
  reply.header('content-security-policy', policy).type(`${type}; charset=utf-8`)
