import type { Config } from '../config.ts'

const daySeconds = 24 * 60 * 60

/**
 * The cookie of a session (RFC 6265). Only over TLS, and of this host alone: a page of a sibling domain cannot set one with
 * `__Host-` in its name, which would log a user in as somebody else. On this machine, during development, there is no TLS.
 */
export function createSessionCookie({ server, sessions }: Config) {
  const { hostname } = new URL(server.frontendUrl)
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  const isPlain = isLocal && !server.isProduction
  const [name, secure] = isPlain ? ['session', ''] : ['__Host-session', 'Secure; ']
  return {
    /** Its value. @param header the Cookie header */
    read(header: string | undefined): string | undefined {
      const found = header?.split(';').find((pair) => pair.trimStart().startsWith(`${name}=`))
      return found?.trim().slice(name.length + 1)
    },

    /** A Set-Cookie header. The browser keeps it as long as a session can last. @param value empty: it is deleted */
    write(value: string): string {
      const maxAge = value === '' ? 0 : sessions.maxDays * daySeconds
      return `${name}=${value}; ${secure}HttpOnly; SameSite=Lax; Path=/; Max-Age=${maxAge}`
    },
  }
}
