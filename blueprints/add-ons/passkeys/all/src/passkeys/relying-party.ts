import type { PublicKeyCredentialRequestOptionsJSON } from '@simplewebauthn/server'
import { type Config, ConfigError } from '../config.ts'
import type { passkeys } from '../db/schema/passkeys.ts'
import { challengeMs } from './challenges.ts'

export type Passkey = typeof passkeys.$inferSelect

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

/** Passkeys as options name them. */
export const descriptorsOf = (known: readonly Passkey[]) =>
  known.map(({ credentialId: id, transports }) => ({
    id,
    type: 'public-key' as const,
    transports: transports.split(' ').filter(Boolean) as never[],
  }))

/** What a browser asks a device to sign (WebAuthn Level 3, section 5.5). @param known none: the device names the user */
export const requestOptions = (
  config: Config,
  challenge: string,
  known: readonly Passkey[] = [],
): PublicKeyCredentialRequestOptionsJSON => ({
  rpId: relyingParty(config).id,
  challenge,
  allowCredentials: descriptorsOf(known),
  timeout: challengeMs,
  userVerification: 'required',
})

/** The library, loaded with the first passkey that somebody uses: it takes 25 MB of memory, and a third of a second. */
export const webauthn = () => import('@simplewebauthn/server')
