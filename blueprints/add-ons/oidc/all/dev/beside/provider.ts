import type { Config } from '../../src/config.ts'
import { routeOf } from '../../src/oidc/providers.ts'
import { startProvider } from '../provider/server.ts'

/** Offers a provider with two users, if the settings name none: sign-in can be tried without an account anywhere. */
export default async (config: Config): Promise<void> => {
  if (config.oidc.names.length > 0) return
  const { port } = config.server
  const client = { id: 'this-service', secret: 'for development only' }
  const provider = await startProvider({
    // The same each time: users belong to the address of their provider.
    port: port === 0 ? 0 : port + 900,
    client,
    redirectUri: routeOf(config, 'dev', '/callback'),
  }).catch((error: Error) => console.warn(`No provider to try sign-in with: ${error.message}`))
  if (!provider) return
  Object.assign(process.env, {
    OIDC_PROVIDERS: 'dev',
    OIDC_DEV_ISSUER: provider.origin,
    OIDC_DEV_CLIENT_ID: client.id,
    OIDC_DEV_CLIENT_SECRET: client.secret,
    OIDC_DEV_LABEL: 'a provider for development',
    OIDC_DEV_EMAIL_TRUSTED: 'true',
  })
}
