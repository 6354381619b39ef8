import { z } from 'zod'

/** What the instances of the service share in addition to the database. */
export const redis = z
  .object({
    REDIS_URL: z
      .string()
      // The message must not show the value, which contains a password.
      .refine(isRedisUrl, {
        error:
          'must be the address of a Redis server, such as redis://user:password@localhost:6379/0 (rediss:// for TLS)',
      })
      .optional()
      .describe('Redis server in which all instances count addresses; default: each counts separately'),
  })
  .transform((env) => ({
    /** Contains a password: never log it. */
    url: env.REDIS_URL,
    /** Separates the keys of this service from those of other services on the same server. */
    keyPrefix: 'my-api',
  }))

/** Lower case only: the driver connects to `REDISS://` without TLS. No parameters: they change the driver's options. */
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
