import { randomInt } from 'node:crypto'
import { domainToASCII, domainToUnicode } from 'node:url'

/** Maximum length of a username or email as typed, in UTF-16 code units (RFC 5321 section 4.5.3.1.3). */
export const maxNameLength = 254

/** ASCII only: JavaScript turns 'K' (the Kelvin sign) into 'k', so a look-alike would match another user's name. */
const usernamePattern = /^[A-Za-z0-9](?:[A-Za-z0-9._-]{1,30}[A-Za-z0-9])$/

/** An ASCII local part without quotes (RFC 5321 section 4.1.2, dot-string). */
const localPartPattern = /^[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+(?:\.[A-Za-z0-9!#$%&'*+/=?^_`{|}~-]+)*$/

const domainPattern = /^(?:[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?\.)+[a-z](?:[a-z0-9-]{0,61}[a-z0-9])$/

/** Without the spaces before and after a name, which autocompletion and pasting add. Other white space stays, and is refused. */
export const withoutSpaces = (text: string): string => text.replace(/^ +/, '').replace(/ +$/, '')

export const isUsername = (text: string): boolean => usernamePattern.test(text)

/** Crockford's base32 has no letters that are easily confused. */
const letters = '0123456789abcdefghjkmnpqrstvwxyz'

/** A name such as `user-4k7m2x9q3d` (50 random bits) for a user who gave none, if USERNAME_REQUIRED is false. */
export const madeUsername = (): string =>
  `user-${Array.from({ length: 10 }, () => letters[randomInt(letters.length)]).join('')}`

/**
 * Converts an email address to the form in which it is stored and compared: lower case, the domain in its ASCII form
 * (`müller.de` becomes `xn--mller-kva.de`). Undefined if the text is not a supported address.
 */
export function normalizeEmail(text: string): string | undefined {
  // domainToASCII is quadratic: a few logins with 16 KB of letters would stop the service for all others.
  if (text.length > maxNameLength) return undefined
  const at = text.lastIndexOf('@')
  const localPart = text.slice(0, at)
  const domain = text.slice(at + 1)
  if (at < 1 || localPart.length > 64 || !localPartPattern.test(localPart)) return undefined
  // domainToASCII maps look-alikes (full-width letters, Kelvin sign, ligatures) to plain letters: reject them.
  if (domain.normalize('NFKC') !== domain) return undefined
  const asciiDomain = domainToASCII(domain)
  // It also maps invisible characters, percent-encoding and other dots: accept a domain in its two forms only.
  if (![asciiDomain, domainToUnicode(asciiDomain)].includes(domain.toLowerCase())) return undefined
  const email = `${localPart}@${asciiDomain}`.toLowerCase()
  return domainPattern.test(asciiDomain) && email.length <= maxNameLength ? email : undefined
}

/**
 * The form in which a login name is counted. Two spellings have the same form exactly if they are the same username or
 * the same email. Otherwise the limit on failed logins would reveal which names exist.
 */
export function canonicalLogin(text: string): string {
  const name = withoutSpaces(text)
  return normalizeEmail(name) ?? (isUsername(name) ? name.toLowerCase() : name)
}
