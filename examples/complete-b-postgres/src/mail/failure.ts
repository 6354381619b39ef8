/**
 * Why a mail was not sent, for the log. Of a mail server's answer only the codes (RFC 5321, RFC 3463): its text may
 * quote the mail, such as a link that it takes for spam, and with it a token.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  const { code, response } = error as Error & { code?: unknown; response?: unknown }
  const name = typeof code === 'string' ? `${code} ` : ''
  if (typeof response !== 'string') return `${name}${error.message}`
  return `${name}${/^\d{3}(?:[ -]\d\.\d{1,3}\.\d{1,3})?/.exec(response)?.[0] ?? 'unreadable answer'}`
}
