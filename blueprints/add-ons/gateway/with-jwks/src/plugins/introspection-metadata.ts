import fp from 'fastify-plugin'

/** The metadata of the server says where services ask about a token (RFC 8414 section 2). */
export default fp(
  async (app) => {
    Object.assign(app.serverMetadata, {
      introspection_endpoint: '/api/v1/auth/introspect',
      introspection_endpoint_auth_methods_supported: ['client_secret_basic'],
    })
  },
  { dependencies: ['signing-keys'] },
)
