/** The code in a mail, which is also the token for the endpoints. */
export interface MailedToken {
  token: string
  code: string
}

/** Reads it from the variables of a mail. Undefined if the mail has none. */
export function mailedToken({ code }: Record<string, string>): MailedToken | undefined {
  return code === undefined ? undefined : { token: code, code }
}
