import swagger, { type SwaggerTransformObject } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import fp from 'fastify-plugin'
import { jsonSchemaTransform, jsonSchemaTransformObject } from 'fastify-type-provider-zod'

/** Serves /openapi.json and the page /docs, generated from the route schemas, if the setting DOCS_ENABLED is on. */
export default fp(
  async (app) => {
    const { docsEnabled, frontendUrl } = app.config.server
    if (!docsEnabled) return

    await app.register(swagger, {
      openapi: {
        openapi: '3.1.0',
        info: { title: 'my-api', version: '1' },
        externalDocs: { url: frontendUrl, description: 'The front end' },
      },
      transform: jsonSchemaTransform,
      // Schemas with an `id` in their metadata become components.schemas, and the routes refer to them.
      transformObject: (document) => withoutInputs(jsonSchemaTransformObject(document)),
    })
    await app.register(swaggerUi, {
      routePrefix: '/docs',
      // The page may load scripts and styles from this service and send requests to it, but not to third parties.
      staticCSP:
        "default-src 'self'; img-src 'self' data:; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
      uiConfig: { validatorUrl: null, persistAuthorization: false },
    })
    app.get('/openapi.json', { schema: { hide: true } }, async () => app.swagger())
  },
  // Otherwise its routes would respond to errors in the format of Fastify.
  { dependencies: ['error-handler'] },
)

/** Removes the request variant of each named schema, because only responses use named schemas here. */
function withoutInputs(document: ReturnType<SwaggerTransformObject>): ReturnType<SwaggerTransformObject> {
  const { schemas } = 'components' in document ? (document.components ?? {}) : {}
  for (const name of Object.keys(schemas ?? {})) {
    if (name.endsWith('Input')) delete schemas?.[name]
  }
  return document
}
