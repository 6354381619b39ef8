import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import mustache from 'mustache'
import type { Config } from '../config.ts'
import { passwordRules } from '../passwords/passwords.ts'

/** The folder next to src/ and dist/. */
const pagesFolder = fileURLToPath(new URL('../../pages', import.meta.url))

const types: Partial<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
}

/**
 * Pages may load their files and call this service. Injected content cannot run, cannot send a token or password to
 * another site (connect-src, form-action), and no site can frame the page for clickjacking (frame-ancestors).
 */
const pagePolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/**
 * Serves pages/: .html files by name (/account), all others below /pages/. Each file has a separate route, so a request
 * path never becomes a file path. If you have a front end, delete the folder, or a page of it.
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
      // Read on every request, so that edits show up without a restart.
      const text = await readFile(join(folder, file), 'utf8')
      return reply
        .header('content-security-policy', pagePolicy)
        .type(type)
        .send(isPage ? mustache.render(text, variables) : text)
    })
  }
}) satisfies FastifyPluginAsyncZod<{ folder?: string }>

/** The variables of the pages. */
function variablesOf({ credentials, mail }: Config) {
  return {
    app_name: mail.from.name,
    password_rules: passwordRules(credentials).map(({ message, pattern, maxBytes }) => ({
      // The page shows "The password must" once above the list.
      text: message.replace(/^Password must /, ''),
      pattern: pattern?.source,
      max_bytes: maxBytes,
    })),
  }
}
