import { password, type tryLogIn } from './accounts.ts'
import type { TestApp } from './app.ts'

export const ownOrigin = { 'sec-fetch-site': 'same-origin' }

/** The cookie that an answer sets, as a browser sends it back. */
export function cookieIn({ headers, statusCode, body }: Awaited<ReturnType<typeof tryLogIn>>): string {
  const [pair = ''] = String(headers['set-cookie'] ?? '').split(';')
  if (statusCode !== 204 || !pair.includes('=')) throw new Error(`${statusCode}: ${body}`)
  return pair
}

interface Sent {
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE'
  url: string
  cookie?: string
  body?: object
  headers?: Record<string, string>
}

/** Sends a request as a browser does, by default of a page of this service. */
export const browse = (app: TestApp, { method = 'GET', url, cookie, body, headers = ownOrigin }: Sent) =>
  app.inject({
    method,
    url: `/api/v1/${url}`,
    headers: { ...headers, ...(cookie !== undefined && { cookie }) },
    ...(body && { body }),
  })

/** POST auth/login for a cookie. */
export const logInForCookie = (app: TestApp, more: Partial<Sent> = {}, username = 'alice') =>
  browse(app, {
    method: 'POST',
    url: 'auth/login?use_cookies=true',
    body: { username, password },
    ...more,
  })
