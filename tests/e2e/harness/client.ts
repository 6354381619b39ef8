import { expect } from 'vitest'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed JSON body, or undefined if the body is not JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: an HTTP client knows no types; each test asserts what it expects.
  body: any
}

export interface Send {
  /** Sent as JSON; a string is sent unchanged. */
  body?: unknown
  token?: string
  headers?: Record<string, string>
}

/** Uses a service over HTTP, and checks what must hold for every response. */
export function client(url: string): Client {
  async function send(
    method: string,
    path: string,
    { body, token, headers = {} }: Send = {},
  ): Promise<Answer> {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        ...headers,
      },
      ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    })
    const text = await response.text()
    expectHeaders(`${method} ${path}`, response, path)
    const isJson = /^application\/(problem\+)?json\b/.test(response.headers.get('content-type') ?? '')
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    }
  }
  return clientOf(url, send)
}

/** Builds a client from its `send` function. */
export const clientOf = (
  url: string,
  send: (method: string, path: string, options?: Send) => Promise<Answer>,
) => ({
  url,
  get: (path: string, options?: Send) => send('GET', path, options),
  post: (path: string, body?: unknown, options?: Send) => send('POST', path, { body, ...options }),
  put: (path: string, body?: unknown, options?: Send) => send('PUT', path, { body, ...options }),
  send,
})

export type Client = ReturnType<typeof clientOf>

function expectHeaders(what: string, { status, headers }: Response, path: string): void {
  expect.soft(headers.get('cache-control'), what).toBe('no-store')
  expect.soft(headers.get('x-content-type-options'), what).toBe('nosniff')
  expect.soft(headers.get('x-request-id'), what).toMatch(/^[\w-]{8,}$/)
  if (status >= 400)
    expect.soft(headers.get('content-type'), what).toBe('application/problem+json; charset=utf-8')
  else if (path.startsWith('/api/') && status !== 204)
    expect.soft(headers.get('content-type'), what).toBe('application/json; charset=utf-8')
}

/** The body of an error response (RFC 9457) without the request id. */
export function problem(status: number, title: string, code: string, instance: string, errors?: unknown) {
  return {
    type: `urn:problem:${code.replaceAll('_', '-')}`,
    title,
    status,
    detail: title,
    code,
    instance,
    request_id: expect.any(String),
    ...(errors === undefined ? {} : { errors }),
  }
}
