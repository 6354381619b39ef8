/** The token in a mail, and the link that contains it. */
export interface MailedToken {
  token: string
  url: string
}

/** Reads it from the variables of a mail. Undefined if the mail has none. */
export function mailedToken(variables: Record<string, string>): MailedToken | undefined {
  const url = variables.verification_url ?? variables.reset_url ?? variables.undo_url
  return url === undefined ? undefined : { token: new URL(url).hash.replace('#token=', ''), url }
}
