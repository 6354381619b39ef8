/** Algorithms of keys (RFC 7518 section 3.1, RFC 8037), whose tokens other services verify with the public key. */
export const asymmetric = ['EdDSA', 'ES256', 'RS256'] as const
