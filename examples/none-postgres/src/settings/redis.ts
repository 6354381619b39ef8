import { z } from 'zod'

/** What several instances of the service share beside the database. */
export const redis = z
  .object({
    REDIS_URL: z
      .string()
      // The message must not show the value: it holds a password.
      .refine(isRedisUrl, {
        error:
          'must be the address of a Redis server, such as redis://user:password@localhost:6379/0 (rediss:// for TLS)',
      })
      .optional()
      .describe('Redis server through which all instances count addresses; default: each for itself'),
  })
  .transform((env) => ({
    /** Holds a password: never log it. */
    url: env.REDIS_URL,
    /** Keeps the keys of this service apart from those of others on the same server. */
    keyPrefix: 'my-api',
  }))

/** Lower case only: of `REDISS://` the driver would make a connection without TLS. No parameters: they would change its options. */
function isRedisUrl(text: string): boolean {
  if (!/^rediss?:\/\//.test(text) || !URL.canParse(text)) return false
  const { hostname, pathname, search, hash, username, password } = new URL(text)
  if (hostname === '' || search !== '' || hash !== '') return false
  return /^\/?\d*$/.test(pathname) && isEncoded(`${username}:${password}`)
}

function isEncoded(text: string): boolean {
  try {
    decodeURIComponent(text)
    return true
  } catch {
    return false
  }
}
