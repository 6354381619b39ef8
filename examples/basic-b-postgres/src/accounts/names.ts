import { domainToASCII, domainToUnicode } from 'node:url'

/**
 * The forms of usernames and emails. Only ASCII is ever folded to lower case: 'K' (the Kelvin sign) becomes 'k' in
 * JavaScript, and whoever typed it would land in another user's account.
 */
const usernamePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{1,30}[A-Za-z0-9])$/

/** An ASCII local part without quotes (RFC 5321 section 4.1.2, dot-string). */
const localPartPattern = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

const domainPattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

export const isUsername = (text: string): boolean => usernamePattern.test(text)

/**
 * The one form of an email address in which it is stored and compared: lower case, the domain in its ASCII form
 * (`müller.de` becomes `xn--mller-kva.de`). Undefined where the text is no address that the service takes.
 */
export function normalizeEmail(text: string): string | undefined {
  const at = text.lastIndexOf('@')
  const localPart = text.slice(0, at)
  const domain = text.slice(at + 1)
  if (at < 1 || localPart.length > 64 || !localPartPattern.test(localPart)) return undefined
  // Letters that only look like others (full-width, Kelvin sign, ligatures) would be mapped to plain ones below,
  if (domain.normalize('NFKC') !== domain) return undefined
  const asciiDomain = domainToASCII(domain)
  // and invisible characters, percent-encoding and the dots of other scripts too: a domain is taken in its two forms only.
  if (![asciiDomain, domainToUnicode(asciiDomain)].includes(domain.toLowerCase())) return undefined
  const email = `${localPart}@${asciiDomain}`.toLowerCase()
  return domainPattern.test(asciiDomain) && email.length <= 254 ? email : undefined
}

/**
 * What a client typed to name a user, in the one form for counting it. Texts have the same form exactly if they would
 * find the same user: were it otherwise, the limit on failed logins would tell apart names with and without a user.
 */
export const canonicalLogin = (text: string): string =>
  normalizeEmail(text) ?? (isUsername(text) ? text.toLowerCase() : text)
