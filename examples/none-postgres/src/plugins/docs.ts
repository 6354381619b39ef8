import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fp from 'fastify-plugin'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'

/** /openapi.json and the page /docs, made from the schemas of the routes. Not in production unless DOCS_ENABLED says so. */
export default fp(async (app) => {
  const { docsEnabled, frontendUrl } = app.config.server
  if (!docsEnabled) return

  await app.register(swagger, {
    openapi: {
      openapi: '3.1.0',
      info: { title: 'my-api', version: '1' },
      externalDocs: { url: frontendUrl, description: 'The front end' },
    },
    transform: jsonSchemaTransform,
    // Shapes with an `id` of their own (meta) become components.schemas, to which the routes refer.
    transformObject: (document) => withoutInputs(jsonSchemaTransformObject(document)),
  })
  await app.register(swaggerUi, {
    routePrefix: '/docs',
    // The page may load its own scripts and styles, and talk to this service: no third party.
    staticCSP:
      "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    uiConfig: { validatorUrl: null, persistAuthorization: false },
  })
  app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
})

/** Drops the second form of each named shape, the one for requests: only answers have named shapes here. */
function withoutInputs(document: ReturnType<SwaggerTransformObject>): ReturnType<SwaggerTransformObject> {
  const { schemas } = 'components' in document ? (document.components ?? {}) : {}
  for (const name of Object.keys(schemas ?? {})) {
    if (name.endsWith('Input')) delete schemas?.[name]
  }
  return document
}
