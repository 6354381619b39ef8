/** @typedef {import('./model/state.js').State} State */

/** What the model cannot explain. */
export class Mismatch extends Error {}

/**
 * An email as its reader sees it.
 * @param {import('./instances.js').Message} message
 * @param {'a' | 'b'} profile
 * @throws Mismatch if it breaks a rule about its words
 */
export function readEmail({ to, subject, text }, profile) {
  const [, page = '', token] = /(\S+)#token=([\w-]+)/.exec(text) ?? []
  const body = `${subject}\n${text}`
  // One random token in 26,000 contains "undo".
  const words = body.replaceAll(/#token=[\w-]+/g, '')
  const name = page.split('/').at(-1) ?? ''
  const [code] = /\b[0-9A-Z]{4}(-[0-9A-Z]{4}){3}\b/.exec(text) ?? []
  // A code without a link is to be typed where it was asked for.
  const isTyped = token === undefined && code !== undefined
  if (isTyped) return { to, subject, sort: 'emailed', body, token: code }
  const sort = token === undefined ? 'notice' : (/undo|reset|login/.exec(name)?.[0] ?? 'to verify')
  if (sort === 'reset' && !/reset/i.test(words))
    throw new Mismatch(`An email with a reset lacks the word: ${body}`)
  if (sort === 'login' && !/log in/i.test(words))
    throw new Mismatch(`An email with a login lacks the words: ${body}`)
  if (token !== undefined && /undo/i.test(words) !== (sort === 'undo'))
    throw new Mismatch(`The word undo is only for emails that undo: ${body}`)
  if (token !== undefined && profile === 'b' && code === undefined)
    throw new Mismatch(`An email lacks its code: ${body}`)
  return { to, subject, sort, body, token }
}

/** What an answer says the same of itself each time. */
const dull =
  /^(instance|request_id|title|detail|errors|created_at|expires_in|qr_svg|otpauth_url|options|signal|passkeys|identities|url|(access|refresh)_token|token_type)$/

/**
 * Values in a line, with names for tokens.
 * @param {State} state @param {object} [given] an action, or the body of an answer
 * @param {string} [prefix] is left out
 */
export function label({ tokens, signInTokens, sessions }, given = {}, prefix = '') {
  const names = new Map([
    ...tokens.map(({ key, kind, text }) => /** @type {const} */ ([text ?? '', `${kind} token ${key}`])),
    ...signInTokens.map(({ key, kind, text }) => /** @type {const} */ ([text ?? '', `${kind} ${key}`])),
    ...sessions.flatMap(({ key, access, refresh }) => [
      ...access.map(({ text }) => /** @type {const} */ ([text, `session ${key}`])),
      ...refresh.map((text) => /** @type {const} */ ([text, `session ${key}`])),
    ]),
  ])
  return Object.entries(given)
    .filter(([name, value]) => value !== undefined && !dull.test(name) && !String(value).startsWith('urn:'))
    .map(([name, value]) => `${name}: ${shorten(names.get(value) ?? String(value), prefix)}`)
    .join(', ')
}

/** @param {string} text @param {string} prefix */
function shorten(text, prefix) {
  const short = text.replaceAll(new RegExp(`${prefix}|@example.com`, 'gi'), '')
  return short.length > 60 ? `${short.slice(0, 20)}…` : short
}
