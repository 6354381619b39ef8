import type { FastifyRequest } from 'fastify'
import type { Config } from '../config.ts'

/**
 * Whether a page of this service, of FRONTEND_URL or of COOKIE_ORIGINS has sent a request, as browsers say
 * (https://www.w3.org/TR/fetch-metadata/). A page of another site could otherwise act as the user whose cookie the browser
 * sends with it. What no browser has said is another site, and so is `Origin: null`, of a sandboxed page. A type of the
 * content says nothing: forms send some.
 */
export function createSameSiteCheck({ server, cookies }: Config) {
  const origins = new Set([new URL(server.frontendUrl).origin, ...cookies.origins])
  return ({ headers, host }: FastifyRequest): boolean => {
    const { origin } = headers
    if (headers['sec-fetch-site'] === 'same-origin') return true
    if (origin === undefined || !URL.canParse(origin)) return false
    // Without the scheme: behind a proxy, the service may not know that of the page.
    return origins.has(origin) || new URL(origin).host === host
  }
}

/** Whether a request can change something. One that asks for a WebSocket is read and answered for as long as it is open. */
export const isUnsafe = ({ method, headers }: FastifyRequest): boolean =>
  !['GET', 'HEAD'].includes(method) || headers.upgrade !== undefined
