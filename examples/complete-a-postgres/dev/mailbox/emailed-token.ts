/** The token in an email, and the link that contains it. */
export interface EmailedToken {
  token: string
  url: string
}

/** Reads it from the variables of an email. Undefined if the email has none. */
export function emailedToken(variables: Record<string, string>): EmailedToken | undefined {
  const url = variables.verification_url ?? variables.reset_url ?? variables.undo_url
  return url === undefined ? undefined : { token: new URL(url).hash.replace('#token=', ''), url }
}
