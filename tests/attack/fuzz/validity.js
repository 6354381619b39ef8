import { domainToASCII } from 'node:url'

/** Whether a text may be anywhere: no control characters, no unpaired surrogates. @param {string} text */
export const isText = (text) => !/[\p{Cc}\p{Cs}]/u.test(text)

/** Without the spaces around it. @param {string} text */
export const withoutSpaces = (text) => text.replace(/^ +/, '').replace(/ +$/, '')

/** @param {string} text */
export const isUsername = (text) =>
  text.length <= 254 && /^[A-Za-z0-9][A-Za-z0-9._-]{1,30}[A-Za-z0-9]$/.test(withoutSpaces(text))

/**
 * Whether a text is an email address. Undefined if the answer needs IDNA: then the service decides.
 * @param {string} typed
 */
export function isEmail(typed) {
  const text = withoutSpaces(typed)
  if (/^[a-z0-9-]{1,60}@[a-z]{2,60}\.com$/i.test(text)) return true
  return typed.length <= 254 && /^[!-~]+@[^@\s]+$/.test(text) ? undefined : false
}

/** @param {string} password @param {string} [profile] */
export function isStrong(password, profile) {
  const text = password.normalize('NFC')
  const length = [...text].length
  const hasCommon = length >= 8 && /\p{Lu}/u.test(text) && /\p{Ll}/u.test(text) && /\p{Nd}/u.test(text)
  if (profile === 'a') return hasCommon && Buffer.byteLength(text) <= 72
  return hasCommon && /[\p{P}\p{S}]/u.test(text) && length <= 256
}

/** The form in which the service stores and compares an address that it accepts. @param {string} typed */
export function canonicalEmail(typed) {
  const text = withoutSpaces(typed)
  const at = text.lastIndexOf('@')
  return `${text.slice(0, at)}@${text.length > 254 ? '' : domainToASCII(text.slice(at + 1))}`.toLowerCase()
}
