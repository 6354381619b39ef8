/**
 * A password as WordPress hashes it, without white space around it as PHP's `trim` does: its forms put a backslash before
 * quotes and backslashes (`wp_magic_quotes`), its command line does not.
 */
export function asInWordPress(password: string): string[] {
  const slashed = password.replaceAll(/['"\\]/g, '\\$&').replaceAll('\0', '\\0')
  return [...new Set([password, slashed].map(trim))]
}

/** In linear time, which a pattern for the end alone is not. */
const trim = (text: string): string => /[^ \t\n\r\0\v](?:.*[^ \t\n\r\0\v])?/s.exec(text)?.[0] ?? ''
