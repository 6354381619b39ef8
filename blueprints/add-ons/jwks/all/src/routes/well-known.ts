import type { FastifyReply, FastifyRequest } from 'fastify'
import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'

/** Only these members are sent, so a private key never is (RFC 7518 section 6). */
const publicKey = z.object({
  kty: z.string(),
  kid: z.string(),
  alg: z.string(),
  use: z.string(),
  ...{ crv: z.string().optional(), x: z.string().optional(), y: z.string().optional() },
  ...{ n: z.string().optional(), e: z.string().optional() },
})

const metadata = z.looseObject({
  issuer: z.string(),
  jwks_uri: z.string(),
  response_types_supported: z.array(z.string()),
  grant_types_supported: z.array(z.string()),
})

/** For services that verify access tokens by themselves: the public keys. They do not exist while the secret signs. */
export default (async (app) => {
  const { config, publicKeys } = app
  if (!publicKeys) return
  app.describeTag('keys', 'For services that verify access tokens by themselves')

  /** A new key is published ten minutes before it signs: by then, every cache has it. */
  const onSend = async (_request: FastifyRequest, reply: FastifyReply) => {
    if (reply.statusCode === 200) reply.header('cache-control', 'public, max-age=300')
  }

  app.get(
    '/.well-known/jwks.json',
    {
      onSend,
      schema: {
        tags: ['keys'],
        operationId: 'getPublicKeys',
        summary: 'The public keys of access tokens',
        description: 'A JWK set (RFC 7517). The algorithm of a key is fixed.',
        response: { 200: z.object({ keys: z.array(publicKey) }) },
      },
    },
    async () => ({ keys: publicKeys() as z.input<typeof publicKey>[] }),
  )

  const { issuer } = config.jwks
  const isWebAddress = /^https?:\/\//i.test(issuer) && URL.canParse(issuer)
  const address = isWebAddress ? issuer : config.server.frontendUrl
  const urlOf = (path: string) => new URL(path, address).href
  const others = Object.entries(app.serverMetadata).map(([name, value]) => [
    name,
    typeof value === 'string' ? urlOf(value) : value,
  ])
  app.get(
    '/.well-known/oauth-authorization-server',
    {
      onSend,
      schema: {
        tags: ['keys'],
        operationId: 'getServerMetadata',
        summary: 'Who issues access tokens, and where the public keys are',
        description: 'Metadata of an authorization server (RFC 8414).',
        response: { 200: metadata },
      },
    },
    // Never from the Host header: a client could make a cache give out keys of its own.
    async () => ({
      issuer,
      jwks_uri: urlOf('/.well-known/jwks.json'),
      response_types_supported: [],
      grant_types_supported: [],
      ...Object.fromEntries(others),
    }),
  )
}) satisfies FastifyPluginAsyncZod
