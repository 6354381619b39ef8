/**
 * A rule of the service for new passwords, as the page holds it: a pattern to match, or a number of bytes.
 * @typedef {{ pattern?: string, maxBytes?: string }} Rule
 */

/** Whether a password obeys a rule, as the service will judge it. @param {Rule} rule @param {string} password */
export function obeys({ pattern, maxBytes }, password) {
  // The same letter typed on two systems can arrive as different code points: both sides compare this form.
  const text = password.normalize('NFC')
  if (pattern) return new RegExp(pattern, 'su').test(text)
  return !maxBytes || new TextEncoder().encode(text).length <= Number(maxBytes)
}
