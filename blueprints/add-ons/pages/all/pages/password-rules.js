/**
 * A password rule as stored in the page: a pattern to match, or a maximum number of bytes.
 * @typedef {{ pattern?: string, maxBytes?: string }} Rule
 */

/** Whether a password meets a rule, as the service checks it. @param {string} password @param {Rule} rule */
export function meets(password, { pattern, maxBytes }) {
  // The same letter can arrive as different code points: both sides normalize to NFC.
  const text = password.normalize('NFC')
  if (pattern) return new RegExp(pattern, 'su').test(text)
  return !maxBytes || new TextEncoder().encode(text).length <= Number(maxBytes)
}
