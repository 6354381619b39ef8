/** The token in an email, and the link that contains it. Some are codes to type, without a link. */
export interface EmailedToken {
  token: string
  url?: string
  code?: string
}

/** Reads it from the variables of an email. Undefined if the email has none. */
export function emailedToken({ code, ...links }: Record<string, string>): EmailedToken | undefined {
  if (code !== undefined) return { token: code, code }
  const url = Object.entries(links).find(([name]) => name.endsWith('_url'))?.[1]
  return url === undefined ? undefined : { token: new URL(url).hash.replace('#token=', ''), url }
}
