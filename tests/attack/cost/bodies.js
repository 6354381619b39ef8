/** @typedef {import('../document.js').Operation} Operation */
/** @typedef {{ what: string, text: string }} Body */

/** The limit of the service for a body, in bytes. */
const bodyBytes = 16 * 1024

/** The code points of a block that count as letters or marks, one after another. @param {number} first @param {number} size */
const block = (first, size) =>
  Array.from({ length: size }, (_, at) => String.fromCodePoint(first + at)).join('')

/**
 * Texts of any length, each against a kind of work that may grow faster than the text.
 * @type {Record<string, (length: number) => string>}
 */
const texts = {
  'long domain': (length) => `a@${repeat(block(0x4e00, 8_000), length - 5)}.de`,
  'many labels': (length) => `a@${repeat('é.', length - 4)}de`,
  'many at signs': (length) => repeat('@', length),
  CJK: (length) => repeat(block(0x4e00, 8_000), length),
  'combining marks': (length) => {
    const half = (length - 4) / 2
    return `Aa1-${repeat('\u0315', half)}${repeat('\u0316', half)}`
  },
  'Hangul jamo': (length) => repeat('\u1100\u1161\u11a8', length),
  emoji: (length) => repeat('👍🏽', length),
  digits: (length) => repeat('9', length),
  dots: (length) => `${repeat('a.', length - 1)}!`,
  spaces: (length) => `${repeat(' ', length - 1)}!`,
  hyphens: (length) => `${repeat('A-', length - 1)}!`,
  percents: (length) => repeat('%41', length),
  'unpaired surrogates': (length) => repeat('\ud800', length),
}

/** JSON whose structure is hostile. `field` is a field of the endpoint. @type {Record<string, (field: string) => string>} */
const structures = {
  'deep arrays': () => `${'['.repeat(bodyBytes / 2)}${']'.repeat(bodyBytes / 2)}`,
  'deep objects': (field) => nested(`{"${field}":`, '0', '}'),
  'deep field': (field) => `{"${field}":${'['.repeat(bodyBytes / 2 - 50)}${']'.repeat(bodyBytes / 2 - 50)}}`,
  'many keys': () => list((n) => `"${n.toString(36)}":0`, '{', '}'),
  'many numeric keys': () => list((n) => `"${n * 99_991}":0`, '{', '}'),
  'one key many times': (field) => list(() => `"${field}":"x"`, '{', '}'),
  'many small arrays': (field) => list(() => '[]', `{"${field}":[`, ']}'),
  'long number': (field) => `{"${field}":${'9'.repeat(bodyBytes - 60)}}`,
  'long fraction': (field) => `{"${field}":0.${'1'.repeat(bodyBytes - 60)}e-300}`,
  'many numbers': (field) => list(() => '1e308', `{"${field}":[`, ']}'),
  escapes: (field) => `{"${field}":"${repeat('\\u0041', bodyBytes - 60)}"}`,
  'almost __proto__': () => list(() => '"__proto_":0', '{', '}'),
  'white space': () => `${' '.repeat(bodyBytes - 2)}{}`,
}

/**
 * The hostile bodies for an endpoint: every text in every field, as long as the body and as long as the field may be, and
 * every structure.
 * @param {Operation} operation
 * @returns {Body[]}
 */
export function hostileBodies({ body }) {
  const fields = Object.entries(body?.properties ?? {})
  const ordinary = ordinaryBody(body)
  const inFields = fields.flatMap(([field, { maxLength }]) =>
    Object.entries(texts).flatMap(([what, text]) => {
      const others = { ...ordinary, [field]: '' }
      // An address replaces the username that a login takes otherwise.
      if (field === 'email' && !body?.required?.includes('username')) delete others.username
      const room = bodyBytes - JSON.stringify(others).length
      /** @param {number} length */
      const filled = (length) => JSON.stringify({ ...others, [field]: text(length) })
      const long = largest(filled, room)
      return [
        { what: `${field}: ${what}`, text: long },
        ...(maxLength ? [{ what: `${field}: ${what}, ${maxLength}`, text: filled(maxLength) }] : []),
      ]
    }),
  )
  const [first = 'field'] = fields.map(([field]) => field)
  return [...inFields, ...Object.entries(structures).map(([what, text]) => ({ what, text: text(first) }))]
}

/** What a client sends: the required fields and the first of the others. @param {Operation['body']} body */
export function ordinaryBody({ properties = {}, required = [] } = {}) {
  const optional = Object.keys(properties).find((field) => !required.includes(field))
  const sent = Object.entries(properties).filter(([field]) => required.includes(field) || field === optional)
  /** @type {Record<string, unknown>} */
  const body = {}
  for (const [field, { examples, format }] of sent)
    body[field] = examples?.[0] ?? (format === 'email' ? 'alice@example.com' : 'Some-text-1')
  return body
}

/** The same with passwords that are wrong, if it has any. @param {Operation['body']} body */
export function wrongPasswords(body) {
  const fields = Object.keys(ordinaryBody(body)).filter((field) => field.includes('password'))
  return {
    ...ordinaryBody(body),
    ...Object.fromEntries(fields.map((field, n) => [field, `Wrong-Horse-${n}`])),
  }
}

/** The longest body that fits. @param {(length: number) => string} filled @param {number} room */
function largest(filled, room) {
  const bytesOfAll = Buffer.byteLength(filled(room)) - (bodyBytes - room)
  return filled(Math.floor((room * room) / Math.max(room, bytesOfAll)) - 8)
}

/** @param {string} text @param {number} length */
const repeat = (text, length) => text.repeat(Math.ceil(length / text.length)).slice(0, length)

/** @param {string} open @param {string} inner @param {string} close */
const nested = (open, inner, close) => {
  const depth = Math.floor((bodyBytes - inner.length) / (open.length + close.length))
  return open.repeat(depth) + inner + close.repeat(depth)
}

/** @param {(n: number) => string} item @param {string} open @param {string} close */
function list(item, open, close) {
  const items = []
  for (let n = 0, size = open.length + close.length; ; n += 1) {
    const next = item(n)
    size += next.length + 1
    if (size > bodyBytes) return open + items.join(',') + close
    items.push(next)
  }
}
