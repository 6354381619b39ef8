const UNSEEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/**
 * Makes text safe for a terminal or a log. Control characters, ANSI escapes and invisible characters become `\u{…}`, so
 * that a hostile name cannot redraw the screen or look like another name (CWE-150, CVE-2021-42574).
 */
export const visible = (text: string): string =>
  text.replace(UNSEEN, (char) => `\\u{${(char.codePointAt(0) ?? 0).toString(16)}}`)

/** Like `visible`, for a JSON document: uses JSON escapes, so its meaning and its lines stay the same. */
export const visibleJson = (json: string): string =>
  json.replace(UNSEEN, (char) => (char === '\n' ? char : char.split('').map(jsonEscape).join('')))

const jsonEscape = (unit: string): string => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`

/** Shortens a value for a message. @param length the maximum number of UTF-16 code units */
export const shorten = (text: string, length = 80): string =>
  text.length > length ? `${text.slice(0, length - 1)}…` : text

/** "a, b or c". `Intl.ListFormat` would take as long as the rest of `--help`. */
export const alternatives = (values: readonly string[]): string =>
  values.join(', ').replace(/, ([^,]+)$/, ' or $1')

/**
 * Quotes a word for a shell: with double quotes, which cmd, PowerShell and POSIX shells know, unless it contains what one
 * of them replaces between these. Only for commands that are shown; no command runs through a shell.
 */
export function shellWord(word: string): string {
  if (/^[\w./:@%+=,-]+$/.test(word)) return word
  if (/^([^"$`%!\\\p{Cc}]|\\(?=[^"$`%!\\\p{Cc}]))+$/u.test(word)) return `"${word}"`
  return `'${word.replaceAll("'", String.raw`'\''`)}'`
}

/** Breaks a text into lines at words, as terminals do not. */
export const atWords = (text: string, columns: number): string =>
  text.replace(new RegExp(`(.{1,${Math.max(columns, 20)}})(?: +|$)`, 'g'), '$1\n').trimEnd()
