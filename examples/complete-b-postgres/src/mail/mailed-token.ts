/** What a mail hands over: the code, which is the token of the endpoints. */
export interface MailedToken {
  token: string
  code: string
}

/** The same, out of a mail's variables; undefined for a mail that hands nothing over. */
export function mailedToken({ code }: Record<string, string>): MailedToken | undefined {
  return code === undefined ? undefined : { token: code, code }
}
