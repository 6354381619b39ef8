import { z } from 'zod'
import { settings } from './types.ts'

// The message must not show the value, which contains a password.
const redisUrl = z.string().refine(isRedisUrl, {
  error:
    'must be the address of a Redis server, such as redis://user:password@localhost:6379/0 (rediss:// for TLS)',
})

/** What the instances of the service share in addition to the database. Never log the address: it contains a password. */
export const redis = settings(
  {
    /** Redis server in which all instances count client addresses. Empty: each process counts separately. */
    url: ['REDIS_URL', redisUrl.optional()],
  },
  // Separates the keys of this service from those of other services on the same server.
  ({ url }) => ({ url, keyPrefix: 'my-api' }),
)

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
