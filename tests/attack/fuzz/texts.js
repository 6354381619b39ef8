import fc from 'fast-check'

const astral = '👍'
const marks = '\u0301\u0327\u031b\u0345'

/** Texts that services stumble over: SQL, HTML, paths, headers, prototypes, look-alikes, invisible and huge ones. */
const nasty = [
  '',
  ' ',
  "' OR 1=1 --",
  '"><script>alert(1)</script>',
  '../../etc/passwd',
  '%00',
  '%s%n{{7*7}}${7*7}',
  'a\r\nSet-Cookie: a=b',
  '\u0000',
  '\ud800',
  '\udc00a\ud800',
  '\u202Eevil\u2066',
  '__proto__',
  'constructor',
  'null',
  'NaN',
  '-1',
  '9'.repeat(400),
  'Alıce',
  '\u212Aelvin',
  'ａｌｉｃｅ',
  'user@münchen.de',
  'user@MÜNCHEN.de',
  'user@xn--mnchen-3ya.de',
  'user@ｅxample.com',
  'user@exa%6dple.com',
  'user@example。com',
  'user@[127.0.0.1]',
  '"a b"@example.com',
  'a@b@example.com',
  'user@localhost',
  `${'a'.repeat(65)}@example.com`,
  `a@${'b.'.repeat(120)}com`,
]

/** Any text, also one that is no valid Unicode. */
export const anyText = fc.oneof(
  fc.constantFrom(...nasty),
  fc.string({ unit: 'grapheme', maxLength: 40 }),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc
    .tuple(
      fc.constantFrom('a', ' ', '9', '.', '@', 'é', '中', astral, marks),
      fc.integer({ min: 1, max: 600 }),
    )
    .map(([text, times]) => text.repeat(times)),
)

/** Values of types that no field has. */
export const wrongType = fc.constantFrom(null, 0, -1, 1e308, true, [], ['admin'], {}, { a: 1 })

/** Passwords that satisfy the rules of both profiles. The last two differ only in their normalization. */
export const passwords = ['Correct-Horse-7', 'Better Horse 8!', 'Pferdchén-9', 'Pferdche\u0301n-9']

export const weakPasswords = ['', 'short-7', 'alllowercase-7', 'NoDigitsHere-', `Aa1-${'x'.repeat(300)}`]
