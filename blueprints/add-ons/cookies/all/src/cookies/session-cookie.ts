import type { Config } from '../config.ts'

/** The cookie of a session (RFC 6265). */

const daySeconds = 24 * 60 * 60

/**
 * Only over TLS, and of this host alone: a page of a sibling domain cannot set one with `__Host-` in its name, which would
 * log a user in as somebody else. On this machine, during development, there is no TLS.
 */
export function cookieName({ server }: Config): string {
  const { hostname } = new URL(server.frontendUrl)
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  return isLocal && !server.isProduction ? 'session' : '__Host-session'
}

/** The value of the session's cookie. @param header the Cookie header */
export function readCookie(config: Config, header: string | undefined): string | undefined {
  const start = `${cookieName(config)}=`
  const found = header?.split(';').find((pair) => pair.trim().startsWith(start))
  return found?.trim().slice(start.length)
}

/** A Set-Cookie header. The browser keeps it as long as the session can last; the service knows when it ends. @param value empty: it is deleted */
export function writeCookie(config: Config, value: string): string {
  const name = cookieName(config)
  const secure = name === 'session' ? '' : 'Secure; '
  const maxAge = value === '' ? 0 : config.sessions.maxDays * daySeconds
  return `${name}=${value}; ${secure}HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAge}`
}
