/** What a mail hands over: the token, and the link that holds it. */
export interface MailedToken {
  token: string
  url: string
}

/** The same, out of a mail's variables; undefined for a mail that hands nothing over. */
export function mailedToken(variables: Record<string, string>): MailedToken | undefined {
  const url = variables.verification_url ?? variables.reset_url
  return url === undefined ? undefined : { token: new URL(url).hash.replace('#token=', ''), url }
}
