import { expect, test } from 'vitest'
import { multilineText, text } from '../../src/schemas/text.ts'

test('a text of several lines may have line breaks and tabs, a text of one line may not', () => {
  for (const value of ['a\nb', 'a\tb', '\n']) {
    expect(multilineText(10).parse(value)).toBe(value)
    expect(text(10).safeParse(value).success).toBe(false)
  }
})

test('all line breaks become the same one', () => {
  expect(multilineText(20).parse('a\r\nb\rc\nd\r\n\r\n')).toBe('a\nb\nc\nd\n\n')
})

test('it counts UTF-16 code units as sent, and can be refined', () => {
  expect(multilineText(4).safeParse('👍👍').success).toBe(true)
  expect(multilineText(4).safeParse('👍👍!').success).toBe(false)
  expect(multilineText(3).safeParse('a\r\n\n').success).toBe(false)
  expect(multilineText(4).min(1).safeParse('').success).toBe(false)
})

test('more code units than allowed get the message of Zod, which counts code points', () => {
  const messageOf = (value: string) => text(3).safeParse(value).error?.issues[0]?.message
  expect(messageOf('abcd')).toContain('3')
  expect(messageOf('👍👍')).toBe(messageOf('abcd'))
})

// Control characters can hide text in a terminal or a log. Databases replace unpaired surrogates.
test.each(['\0', '\u001b[2J', '\b', '\u007f', '\u0085', '\u009b', '\ud800', '\udc00a'])(
  '%j is refused',
  (value) => {
    expect(multilineText(10).safeParse(`a${value}`).success).toBe(false)
    expect(text(10).safeParse(`a${value}`).success).toBe(false)
  },
)
