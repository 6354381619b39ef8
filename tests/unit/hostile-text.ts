/** Values that try to end the string or the line they are inserted into, or to control the terminal. */
export const HOSTILE = [
  'plain',
  `'"\``,
  `'; process.exit() //`,
  '\\',
  "\\'",
  '${x}',
  'a\nb\r\u2028\u2029',
  '\0\u001b[31m\u007f\u009b',
  '\u202e\u2066\u200b\ufeff',
  '\ud800',
  '😀',
  '<%= x %>',
  '*/ */',
]
