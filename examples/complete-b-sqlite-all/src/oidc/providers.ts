import { type Config, ConfigError } from '../config.ts'
import { requireSafe } from '../outgoing.ts'

/** A provider of the settings. */
export interface Provider {
  name: string
  label: string
  /** Who signs its tokens. Only from settings: a document that names another one is refused. */
  issuer: string
  clientId: string
  clientSecret: string
  scopes: string
  /** Whether what it calls verified counts as verified. */
  isEmailTrusted: boolean
  /** Where it sends users back. Never from the Host header (OmniAuth CVE-2026-63183). */
  redirectUri: string
  /** OAuth 2 without id_token: the user is read from the API at this address. */
  api?: string
}

/** What the settings need not say of a provider with this name. */
const presets: Record<string, Partial<Provider>> = {
  google: { issuer: 'https://accounts.google.com', isEmailTrusted: true },
  github: {
    label: 'GitHub',
    issuer: 'https://github.com/login/oauth',
    isEmailTrusted: true,
    scopes: 'read:user user:email',
  },
}

/** Whether http is accepted for addresses of this machine. */
export const allowsLoopback = ({ server }: Config): boolean => !server.isProduction

/** The address of a provider's route, which its settings contain. */
export function routeOf({ oidc, server }: Config, name: string, rest = ''): string {
  const base = (oidc.callbackBase ?? server.frontendUrl).replace(/\/+$/, '')
  return `${base}/api/v1/auth/oidc/${name}${rest}`
}

/**
 * The providers of the settings, in their order.
 * @throws ConfigError that names the setting to change
 */
export const readProviders = (config: Config): Provider[] =>
  config.oidc.names.map((name) => readProvider(config, name))

/** Only identities of these log anybody in. */
export const issuersOf = (config: Config): string[] => readProviders(config).map(({ issuer }) => issuer)

function readProvider(config: Config, name: string): Provider {
  const { oidc } = config
  const variable = (end: string) => `OIDC_${name.toUpperCase()}_${end}`
  const missing = (setting: string): never => {
    throw new ConfigError(`${setting} is missing: set what the provider has given to you`)
  }
  const own = oidc.issuers[variable('ISSUER')]
  // With an issuer of its own, a provider called google is not Google.
  const preset = own === undefined || name === 'github' ? presets[name] : undefined
  const issuer = own ?? preset?.issuer ?? microsoftIssuer(config, name) ?? missing(variable('ISSUER'))
  try {
    requireSafe(issuer, allowsLoopback(config))
  } catch {
    const rule = 'must be an https address; http is for this machine in development'
    throw new ConfigError(`${variable('ISSUER')} ${rule}`)
  }
  return {
    ...{ name, issuer },
    label:
      oidc.labels[variable('LABEL')] ?? preset?.label ?? name.replace(/^./, (first) => first.toUpperCase()),
    clientId: oidc.clientIds[variable('CLIENT_ID')] ?? missing(variable('CLIENT_ID')),
    clientSecret: oidc.clientSecrets[variable('CLIENT_SECRET')] ?? missing(variable('CLIENT_SECRET')),
    scopes: oidc.scopes[variable('SCOPES')] ?? preset?.scopes ?? 'openid email profile',
    isEmailTrusted: oidc.emailsTrusted[variable('EMAIL_TRUSTED')] ?? preset?.isEmailTrusted ?? false,
    redirectUri: routeOf(config, name, '/callback'),
    // That of a GitHub Enterprise Server has its address.
    ...(name === 'github' && { api: own ? `${new URL(own).origin}/api/v3` : 'https://api.github.com' }),
  }
}

/** One tenant: the common issuer would let in users of every company. @throws ConfigError */
function microsoftIssuer({ oidc }: Config, name: string): string | undefined {
  if (name !== 'microsoft') return undefined
  if (oidc.microsoftTenant) return `https://login.microsoftonline.com/${oidc.microsoftTenant}/v2.0`
  throw new ConfigError('OIDC_MICROSOFT_TENANT is missing: set the id of your tenant')
}
