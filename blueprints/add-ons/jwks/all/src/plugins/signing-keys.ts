import fp from 'fastify-plugin'
import { keyAlgorithm } from '../sessions/key-ring.ts'
import { createKeySigners, type KeySigners } from '../sessions/key-signers.ts'

declare module 'fastify' {
  interface FastifyInstance {
    /** The public keys that verify access tokens. Undefined while the secret signs. */
    publicKeys: KeySigners['published'] | undefined
    /** What the metadata of the server says besides (RFC 8414 section 2). A path becomes an address. */
    serverMetadata: Record<string, string | string[]>
  }
}

/** Signs access tokens with keys, if the settings choose an algorithm of keys. */
export default fp(
  async (app) => {
    const keys = keyAlgorithm(app.config) && createKeySigners(app.ctx)
    if (keys) app.ctx.accessTokens.signers = keys
    app.decorate('publicKeys', keys?.published)
    app.decorate('serverMetadata', {})
  },
  { name: 'signing-keys' },
)
