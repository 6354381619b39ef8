import { expect } from 'vitest'

export interface Answer {
  status: number
  headers: Headers
  text: string
  /** The parsed body where it is JSON, otherwise undefined. */
  // biome-ignore lint/suspicious/noExplicitAny: a stranger knows no types; each test says what it expects.
  body: any
}

export interface Send {
  /** Sent as JSON; a string goes as it is. */
  body?: unknown
  token?: string
  headers?: Record<string, string>
}

/** Uses a service as a stranger does: over HTTP. Checks on the way what holds for every answer. */
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

/** A client out of the one function that all of it needs. */
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

/** The body of an error answer (RFC 9457), but for the request's id. */
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
