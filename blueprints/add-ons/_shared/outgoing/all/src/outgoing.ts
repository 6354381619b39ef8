import http from 'node:http'
import https from 'node:https'
import ipaddr from 'ipaddr.js'

/** Bounds of an answer. No document of a provider is near them. */
const maxBytes = 1024 * 1024
const defaultSeconds = 5

export interface Outgoing {
  method?: string
  headers?: Record<string, string>
  body?: string | undefined
  /** Whether http is accepted for loopback addresses: in development and tests only. */
  allowsLoopback: boolean
  /** Seconds for all of it, from the resolution of the name to the last byte. */
  seconds?: number
}

export interface Incoming {
  status: number
  headers: http.IncomingHttpHeaders
  body: Buffer
}

/**
 * Sends a request to a host that a setting names, or a document of that host. One resolution of the name, one connection, no
 * redirect: a host cannot send the service on to another one, which may be inside of its network.
 * @throws Error without anything of the answer: it may contain secrets
 */
export async function send(address: string, outgoing: Outgoing): Promise<Incoming> {
  const { method = 'GET', body, seconds = defaultSeconds } = outgoing
  const url = requireSafe(address, outgoing.allowsLoopback)
  // Not that of the socket, which each byte would extend.
  const signal = AbortSignal.timeout(seconds * 1000)
  // Decompression turns 10 KB into 10 MB, and Node's has had holes (CVE-2026-111497).
  const headers = { ...outgoing.headers, 'accept-encoding': 'identity' }
  const { request } = url.protocol === 'https:' ? https : http
  return new Promise((resolve, reject) => {
    // Without an agent: no connection is shared with other requests.
    const sent = request(url, { method, headers, signal, agent: false })
    sent.on('error', reject)
    sent.on('response', (response) => {
      read(response)
        .then(resolve, reject)
        .finally(() => sent.destroy())
    })
    sent.end(body)
  })
}

/** @throws Error if it is too large, compressed or cut off */
async function read(response: http.IncomingMessage): Promise<Incoming> {
  const { statusCode: status = 0, headers } = response
  const encoding = headers['content-encoding'] ?? 'identity'
  if (encoding.toLowerCase() !== 'identity') throw new Error('The answer is compressed')
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of response as AsyncIterable<Buffer>) {
    bytes += part.length
    if (bytes > maxBytes) throw new Error('The answer is too large')
    parts.push(part)
  }
  return { status, headers, body: Buffer.concat(parts) }
}

/**
 * Parses an address. https, and http for loopback addresses outside production: others could read and change what is sent.
 * @throws Error
 */
export function requireSafe(address: string, allowsLoopback: boolean): URL {
  const url = new URL(address)
  const isSafe = url.protocol === 'https:' || (allowsLoopback && url.protocol === 'http:' && isLoopback(url))
  if (!isSafe) throw new Error(`${url.protocol}//${url.host} is not https`)
  // Node would send them as credentials of its own.
  if (url.username + url.password !== '') throw new Error(`The address at ${url.host} contains credentials`)
  return url
}

function isLoopback({ hostname }: URL): boolean {
  const host = hostname.replace(/^\[|\]$/g, '')
  return host === 'localhost' || (ipaddr.isValid(host) && ipaddr.process(host).range() === 'loopback')
}

/** What a library gives to a function like `fetch`, which it would call otherwise. */
interface Given {
  method: string
  headers: Record<string, string>
  body?: unknown
}

/**
 * A function like `fetch` over `send`, for libraries that take one. Node's own follows redirects and decompresses unasked.
 * @throws Error
 */
export const fetchWith =
  (bounds: Pick<Outgoing, 'allowsLoopback' | 'seconds'>) =>
  async (url: string, { method, headers, body: given }: Given): Promise<Response> => {
    const sent = given === null || given === undefined ? undefined : String(given)
    const { status, headers: answered, body } = await send(url, { ...bounds, method, headers, body: sent })
    const type = answered['content-type']
    // A Response with one of these statuses has no body.
    const isEmpty = [204, 205, 304].includes(status)
    return new Response(isEmpty ? null : new Uint8Array(body), {
      status,
      headers: type === undefined ? {} : { 'content-type': type },
    })
  }
