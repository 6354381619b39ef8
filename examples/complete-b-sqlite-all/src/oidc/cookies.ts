import type { Config } from '../config.ts'
import { flowSeconds } from './flows.ts'
import { routeOf } from './providers.ts'

/**
 * The cookies of flows. Lax: the provider sends the browser back by a link. With `__Host-`, no other subdomain and no page over
 * http can set one; in development on this machine there is no https.
 */
export function flowCookies(config: Config) {
  const isSecure = config.server.isProduction || routeOf(config, '').startsWith('https:')
  const prefix = isSecure ? '__Host-' : ''
  const cookie = (name: string, value: string, seconds: number) =>
    `${prefix}${name}=${value}; Path=/; Max-Age=${seconds}; HttpOnly; SameSite=Lax${isSecure ? '; Secure' : ''}`
  return {
    set: ({ name, value }: { name: string; value: string }) => cookie(name, value, flowSeconds),
    clear: (name: string) => cookie(name, '', 0),
    /** @param header the Cookie header @returns the value, undefined without one */
    read: (header: string | undefined, name: string): string | undefined =>
      header
        ?.split(/; */)
        .find((pair) => pair.startsWith(`${prefix}${name}=`))
        ?.slice(prefix.length + name.length + 1),
  }
}
