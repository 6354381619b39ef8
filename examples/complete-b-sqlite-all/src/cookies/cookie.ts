import type { Config } from '../config.ts'

/**
 * A cookie that no script reads (RFC 6265). Only over TLS, and of this host alone: a page of a sibling domain cannot set one
 * with `__Host-` in its name, which would log a user in as somebody else. On this machine, during development, there is no
 * TLS.
 * @param maxAge how long a browser keeps it, in seconds
 */
export function createCookie({ server }: Config, plainName: string, maxAge: number) {
  const { hostname } = new URL(server.frontendUrl)
  const isLocal = /^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
  const isPlain = isLocal && !server.isProduction
  const [name, secure] = isPlain ? [plainName, ''] : [`__Host-${plainName}`, 'Secure; ']
  return {
    /** Its value. @param header the Cookie header */
    read(header: string | undefined): string | undefined {
      const found = header?.split(';').find((pair) => pair.trimStart().startsWith(`${name}=`))
      return found?.trim().slice(name.length + 1)
    },

    /** A Set-Cookie header. @param value empty: it is deleted */
    write: (value: string): string =>
      `${name}=${value}; ${secure}HttpOnly; SameSite=Lax; Path=/; Max-Age=${value === '' ? 0 : maxAge}`,
  }
}
