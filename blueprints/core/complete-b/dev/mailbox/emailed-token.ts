/** The code in an email, which is also the token for the endpoints. */
export interface EmailedToken {
  token: string
  code: string
}

/** Reads it from the variables of an email. Undefined if the email has none. */
export function emailedToken({ code }: Record<string, string>): EmailedToken | undefined {
  return code === undefined ? undefined : { token: code, code }
}
