import { readFile } from 'node:fs/promises'
import fp from 'fastify-plugin'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'
import { brand } from '../settings/server.ts'

const folder = new URL('../api-page/', import.meta.url)
const packageJson = new URL('../../package.json', import.meta.url)

declare module 'fastify' {
  interface FastifyInstance {
    /** Says what the routes with a tag are for, in the OpenAPI document and on its page. */
    describeTag(name: string, description: string): void
  }
}

/** Serves /openapi.json and the page /docs, generated from the route schemas, if the setting DOCS_ENABLED is on. */
export default fp(
  async (app) => {
    // In the order of the page. Tags without a description follow.
    const tags = [
      { name: 'auth', description: 'Accounts and their tokens' },
      { name: 'users', description: 'The current user' },
      { name: 'health', description: 'For load balancers and orchestrators' },
    ]
    app.decorate('describeTag', (name, description) => {
      // Health stays the last.
      tags.splice(-1, 0, { name, description })
    })
    const { docsEnabled, frontendUrl } = app.config.server
    if (!docsEnabled) return
    // Load the libraries only if they are used.
    const { default: swagger } = await import('@fastify/swagger')
    const { default: swaggerUi } = await import('@fastify/swagger-ui')
    const { completeDocument } = await import('../schemas/document.ts')
    const title = brand.name
    const { license = 'UNLICENSED' } = JSON.parse(await readFile(packageJson, 'utf8'))

    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: {
          title,
          version: '1',
          description: 'Errors are problem details (RFC 9457). Use `code` to tell errors apart.',
          contact: { name: title, url: frontendUrl },
          license: { name: license, url: frontendUrl },
        },
        externalDocs: { url: frontendUrl, description: 'The front end' },
        // Relative to the document, because the service does not know its public address.
        servers: [{ url: '/', description: 'This service' }],
        tags,
        components: { securitySchemes: { bearer: { type: 'http', scheme: 'bearer', bearerFormat: 'JWT' } } },
      },
      transform: jsonSchemaTransform,
      // Schemas with an `id` in their metadata become components.schemas, and the routes refer to them.
      transformObject: (document) => completeDocument(jsonSchemaTransformObject(document)),
    })
    const icon = await readFile(new URL('icon.svg', folder))
    const css = await readFile(new URL('page.css', folder), 'utf8')
    const js = await readFile(new URL('page.js', folder), 'utf8')
    await app.register(swaggerUi, {
      routePrefix: '/docs',
      // The page may load scripts and styles from this service and send requests to it, but not to third parties.
      staticCSP:
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      uiHooks: {
        onRequest: (_request, reply, done) => {
          // Another site that opens the page could navigate its window, to a copy that asks for the token.
          reply.header('cross-origin-opener-policy', 'same-origin')
          done()
        },
      },
      theme: {
        title,
        css: [{ filename: 'page.css', content: css }],
        js: [{ filename: 'page.js', content: js }],
        favicon: [{ filename: 'icon.svg', rel: 'icon', type: 'image/svg+xml', sizes: 'any', content: icon }],
      },
      uiConfig: {
        layout: 'BaseLayout',
        validatorUrl: null,
        persistAuthorization: true,
        // The numbers of the default theme have too little contrast for WCAG 2.2 AA.
        syntaxHighlight: { theme: 'tomorrow-night' },
      },
    })
    app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  },
  // Otherwise its routes would respond to errors in the format of Fastify.
  { dependencies: ['error-handler'] },
)
