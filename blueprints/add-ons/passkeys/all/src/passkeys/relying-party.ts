import { type Config, ConfigError } from '../config.ts'

/** Whom passkeys belong to (WebAuthn Level 3, section 5.4.2): a domain, and the origins whose pages may use them. */
export interface RelyingParty {
  id: string
  origins: string[]
}

/** @throws ConfigError if an origin is of another domain: no browser would use a passkey there */
export function relyingParty({ passkeys, server }: Config): RelyingParty {
  const { rpId: id = new URL(server.frontendUrl).hostname, origins } = passkeys
  const all = origins.length > 0 ? origins : [new URL(server.frontendUrl).origin]
  const other = all.find((origin) => !`.${new URL(origin).hostname}`.endsWith(`.${id}`))
  if (other === undefined) return { id, origins: all }
  throw new ConfigError(`WEBAUTHN_RP_ID ${id} must be the host of ${other}, or a domain above it`)
}
