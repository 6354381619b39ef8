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

const presets: Record<string, { label: string; issuer: string; isEmailTrusted?: boolean; scopes?: string }> =
  {
    google: { label: 'Google', issuer: 'https://accounts.google.com', isEmailTrusted: true },
    github: {
      label: 'GitHub',
      issuer: 'https://github.com/login/oauth',
      isEmailTrusted: true,
      scopes: 'read:user user:email',
    },
  }

/** The preset of a name; undefined if the settings have to say it all. */
function presetOf(name: string, { oidc }: Config) {
  if (name !== 'microsoft') return presets[name]
  const { microsoftTenant: tenant } = oidc
  if (tenant === undefined)
    throw new ConfigError('OIDC_MICROSOFT_TENANT is missing: set the id of your tenant')
  return { label: 'Microsoft', issuer: `https://login.microsoftonline.com/${tenant}/v2.0` }
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

function readProvider(config: Config, name: string): Provider {
  const { oidc } = config
  const variable = (end: string) => `OIDC_${name.toUpperCase()}_${end}`
  const required = (values: Record<string, string | undefined>, end: string, what: string): string => {
    const value = values[variable(end)]
    if (value === undefined) throw new ConfigError(`${variable(end)} is missing: set ${what}`)
    return value
  }
  const own = oidc.issuers[variable('ISSUER')]
  const preset = own === undefined || name === 'github' ? presetOf(name, config) : undefined
  const issuer = own ?? preset?.issuer ?? required(oidc.issuers, 'ISSUER', "the provider's issuer")
  try {
    requireSafe(issuer, allowsLoopback(config))
  } catch {
    throw new ConfigError(
      `${variable('ISSUER')} must be an https address; http is for this machine in development`,
    )
  }
  return {
    name,
    label:
      oidc.labels[variable('LABEL')] ?? preset?.label ?? `${name.charAt(0).toUpperCase()}${name.slice(1)}`,
    issuer,
    clientId: required(oidc.clientIds, 'CLIENT_ID', 'what the provider gave to you'),
    clientSecret: required(oidc.clientSecrets, 'CLIENT_SECRET', 'what the provider gave to you'),
    scopes: oidc.scopes[variable('SCOPES')] ?? preset?.scopes ?? 'openid email profile',
    isEmailTrusted: oidc.emailsTrusted[variable('EMAIL_TRUSTED')] ?? preset?.isEmailTrusted ?? false,
    redirectUri: routeOf(config, name, '/callback'),
    ...(name === 'github' && { api: own === undefined ? 'https://api.github.com' : apiOf(own) }),
  }
}

/** The API of a GitHub Enterprise Server. */
const apiOf = (issuer: string): string => `${new URL(issuer).origin}/api/v3`
