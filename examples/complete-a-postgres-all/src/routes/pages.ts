import { existsSync, readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyReply, FastifyRequest, onSendHookHandler } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import mustache from 'mustache'
import { passwordRules } from '../passwords/rules.ts'
import { brand as named } from '../settings/server.ts'
import { appearance, type Brand, brandVariables } from '../settings/theme.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** Other values of templates in the answer to a request. An addition can set it. */
    pageVariables?: (request: FastifyRequest, reply: FastifyReply) => Record<string, string>
  }
}

/** The folder next to src/ and dist/. */
const pagesFolder = fileURLToPath(new URL('../../pages', import.meta.url))

const types: Partial<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.webp': 'image/webp',
  '.woff2': 'font/woff2',
}

/**
 * Pages may load their files and call this service. Injected content cannot run, cannot send a token or password to
 * another site (connect-src, form-action), and no site can frame the page for clickjacking (frame-ancestors).
 */
const pagePolicy = [
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; font-src 'self'; connect-src 'self'",
  "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
].join('; ')

/** An SVG that is opened as a page is a document of this origin: its scripts could act as the user. */
const imagePolicy = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

/** Any site may load an image or font, because email programs show the logo. It may be an hour old. */
const share: onSendHookHandler = (_request, reply, _payload, done) => {
  reply.headers({ 'cache-control': 'public, max-age=3600', 'cross-origin-resource-policy': 'cross-origin' })
  done()
}

/** What people type for a flow, and the page that has its form. */
const typedNames: Partial<Record<string, string>> = {
  login: 'account',
  'change-email': 'account',
  'forgot-password': 'reset-password',
  'resend-verification': 'verify-email',
}

/** What the home page for development links to, of what there is. */
const links = [
  { name: 'Create an account', path: '/register' },
  { name: 'Log in, and your account', path: '/account' },
  { name: 'Confirm an email address', path: '/verify-email' },
  { name: 'Reset a password', path: '/reset-password' },
]

/**
 * Serves pages/: .html files by name (/account) and by what people type (/login), all others below /pages/. The routes
 * name the files, so a request path never becomes a file path.
 */
export default (async (app, { folder = pagesFolder, own = {} }) => {
  if (!existsSync(folder)) {
    app.log.warn('pages/ is missing, so no page is served: deploy it beside dist/')
    return
  }
  const brand = { ...named, ...appearance, ...own }
  const { credentials } = app.config
  const variables = {
    ...brandVariables(app.config, brand),
    // Relative, so that it comes from this service.
    logo: brand.logo.slice(1),
    email_interval: app.config.rateLimits.enabled ? app.config.rateLimits.mailIntervalSeconds : 0,
    username_required: app.config.accounts.usernameRequired,
    password_min_length: credentials.minLength,
    password_rules: passwordRules(credentials).map(({ code, message, pattern, maxBytes }) => ({
      code,
      // For a rule of yours that the page has no text for. It shows "The password must" once above the list.
      text: message.replace(/^Password must /, ''),
      pattern: pattern?.source,
      max_bytes: maxBytes,
    })),
  }

  const all = readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort()

  /** Read on every request, so that edits show up without a restart. Files of the brand's language come first. */
  const read = (file: string) =>
    readFile(join(folder, brand.language, file)).catch(() => readFile(join(folder, file)))

  const partsIn = async (folder: string) => {
    const files = all.filter((file) => dirname(file) === folder && file.endsWith('.html'))
    return (await Promise.all(files.map(read))).join('')
  }

  /** The parts of a page are in the folder with its name, those of a login in ways/ and log-in/, in the order of their names. */
  const render = async (page: string, more?: object) => {
    const [parts, ways, steps] = [await partsIn(page), await partsIn('ways'), await partsIn('log-in')]
    const header = String(await read('header.mustache').catch(() => ''))
    const template = String(await read(`${page}.html`))
    return mustache.render(template, { ...variables, ...more }, { header, parts, ways, steps })
  }

  /** The color of the brand comes first in the style sheet. */
  const readOther = async (file: string) =>
    file === 'style.css' ? `:root { --brand: ${brand.accent}; }\n${await read(file)}` : read(file)

  const files = all.filter((file) => dirname(file) === '.')
  const pages = files.filter((file) => file.endsWith('.html')).map((file) => basename(file, '.html'))
  if (pages.length > 0) {
    // A pattern, because Fastify prefers a static path: a route of your own for /account comes first.
    const typed = Object.keys(typedNames).filter((name) => pages.includes(typedNames[name] ?? ''))
    const names = [...pages, ...typed].map((name) => name.replaceAll(/[^\w-]/g, '\\$&')).join('|')
    const url = `/:page(^(?:${names})$)`
    const config = { links: links.filter(({ path }) => pages.includes(path.slice(1))) }
    const options = { schema: { hide: true }, config }
    app.get<{ Params: { page: string } }>(url, options, async (request, reply) => {
      const { page } = request.params
      const more = app.pageVariables?.(request, reply)
      // Relative, because a proxy may serve the pages below a path.
      if (!pages.includes(page)) return reply.redirect(typedNames[page] ?? '')
      return reply
        .header('content-security-policy', pagePolicy)
        .header('cross-origin-opener-policy', 'same-origin')
        .type(types['.html'] ?? '')
        .send(await render(page, more))
    })
    // Password managers ask for it (https://www.w3.org/TR/change-password-url/).
    const passwordUrl = '/.well-known/:name(^change-password$)'
    const passwordPage = typedNames['change-password'] ?? 'reset-password'
    app.get(passwordUrl, { schema: { hide: true } }, async (_, reply) => reply.redirect(`/${passwordPage}`))
    app.addHook('onReady', async () => {
      for (const page of pages.filter((name) => app.hasRoute({ method: 'GET', url: `/${name}` })))
        app.log.info(`pages/${page}.html is not served: you have a route for /${page}`)
    })
  }

  for (const file of files) {
    const type = types[extname(file)]
    if (!type || file.endsWith('.html')) continue
    const [policy, options] = type.startsWith('text/') ? [pagePolicy, {}] : [imagePolicy, { onSend: share }]
    app.get(`/pages/${file}`, { schema: { hide: true }, ...options }, async (_request, reply) =>
      reply
        .header('content-security-policy', policy)
        .type(type)
        .send(await readOther(file)),
    )
  }
}) satisfies FastifyPluginAsyncZod<{ folder?: string; own?: Partial<Brand> }>
