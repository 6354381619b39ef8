import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import mustache from 'mustache'
import { passwordRules } from '../accounts/passwords.ts'
import type { Config } from '../config.ts'

/** The folder beside src/ and dist/. */
const pagesFolder = fileURLToPath(new URL('../../pages', import.meta.url))

const types: Partial<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * A page may load its own files and talk to this service. Nothing that somebody smuggles into it can run, send the
 * token or the password elsewhere (connect-src), or as a form (form-action); no site can frame it and have its button
 * clicked unseen (frame-ancestors).
 */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/**
 * Serves pages/, where the mails send people: an .html file at its own name (/verify-email), all others below /pages/.
 * Each file has a route of its own, so that no path of a request ever becomes the path of a file. Without the folder
 * there are no pages: a front end at FRONTEND_URL has its own.
 */
export default (async (app, { folder = pagesFolder }) => {
  const files = existsSync(folder) ? readdirSync(folder) : []
  const variables = variablesOf(app.config)
  for (const file of files) {
    const extension = extname(file)
    const type = types[extension]
    if (!type) continue
    const isPage = extension === '.html'
    const path = isPage ? `/${basename(file, extension)}` : `/pages/${file}`
    app.get(path, { schema: { hide: true } }, async (_request, reply) => {
      const text = await readFile(join(folder, file), 'utf8')
      return reply
        .header('content-security-policy', contentSecurityPolicy)
        .type(type)
        .send(isPage ? mustache.render(text, variables) : text)
    })
  }
}) satisfies FastifyPluginAsyncZod<{ folder?: string }>

/** What the double braces of a page stand for. */
function variablesOf({ credentials, mail }: Config) {
  return {
    app_name: mail.from.name,
    password_rules: passwordRules(credentials).map(({ message, pattern, maxBytes }) => ({
      // The page begins the sentence once for all of them.
      text: message.replace(/^Password must /, ''),
      pattern: pattern?.source,
      max_bytes: maxBytes,
    })),
  }
}
