import fp from 'fastify-plugin'

/** The metadata of the server says where service clients get tokens (RFC 8414 section 2). */
export default fp(
  async (app) => {
    Object.assign(app.serverMetadata, {
      token_endpoint: '/api/v1/auth/token',
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
      grant_types_supported: ['client_credentials'],
    })
  },
  { dependencies: ['signing-keys'] },
)
