import type { Config } from '../config.ts'

/**
 * The link to a page of the front end. Puts the token in the fragment, which browsers do not send: it gets into no server
 * log and no Referer header.
 */
export function pageLink({ server }: Config, page: string, token: string): string {
  const url = new URL(server.frontendUrl)
  url.pathname = `${url.pathname.replace(/\/$/, '')}/${page}`
  url.hash = `token=${token}`
  return url.href
}
