// Covers src/merge/merge-around.ts, and what src/merge/comments.ts takes for a comment.
import { describe, expect, it } from 'vitest'
import { isSameExceptComments } from '../../../src/merge/layout.ts'
import { mergeAround } from '../../../src/merge/merge-around.ts'

const lines = (text: string) => text.replaceAll(' ', '\n')
const merge = (base: string, disk: string, next: string, path = 'a.ts') =>
  mergeAround(path, lines(base), lines(disk), lines(next), 'complete B')

describe("the owner's comments in a place that the generator changes", () => {
  it.each([
    ['at the start of a file', 'a b', '//c a b', 'x b', '//c x b'],
    ['of several lines there', 'a b', '/* Copyright */ a b', 'b', '/* Copyright */ b'],
    ['before a changed line', 'a b d', 'a //c b d', 'a x d', 'a //c x d'],
    ['in the middle of changed lines', 'a b d e', 'a b //c d e', 'a x y e', 'a x //c y e'],
    ['before a line that gets one before it', 'a b', 'a //c b', 'a x b', 'a x //c b'],
    ['before a line that loses the one before it', 'a x b', 'a x //c b', 'a b', 'a //c b'],
    ['at the end of a line that stays', 'a b d', 'a b//c d', 'x b d', 'x b//c d'],
    ['that the owner took out', 'a //g b d', 'a b d', 'x //g b d', 'x b d'],
    ['beside an edit', 'a b d e f', '//c a b d mine f', 'x b d e f', '//c x b d mine f'],
  ])('%s', (_, base, disk, next, expected) => {
    expect(merge(base, disk, next)).toEqual({ text: lines(expected), conflicts: 0 })
    // And back.
    expect(merge(next, expected, base).text).toBe(lines(disk))
  })

  it.each([
    ['the code after it goes', 'a b d', 'a //c b d', 'a d', 'a.ts'],
    ['the line that it ends goes', 'a b d', 'a b//c d', 'a d', 'a.ts'],
    ['code came with it', 'a b d', 'a //c mine d', 'a x d', 'a.ts'],
    ['it only looks like one', 'a b d', 'a #c b d', 'a x d', 'a.md'],
  ])('are a conflict if %s', (_, base, disk, next, path) => {
    const { text, conflicts } = merge(base, disk, next, path)
    expect(conflicts).toBe(1)
    for (const line of lines(disk).split('\n')) expect(text).toContain(line)
  })
})

describe('a comment', () => {
  it.each([
    ['a.ts', '#!/bin/x\na\n', '#!/bin/x\n/* b\n c */\na // d\n'],
    ['a.json', '{ "a": 1 }\n', '// b\n{ "a": 1 }\n'],
    ['a.css', 'a { b: 1 }\n', '/* c */\na { b: 1 }\n'],
    ['a.html', '<p>a</p>\n', '<!-- b -->\n<p>a<!-- c --></p>\n'],
    ['a.mustache', '{{a}} b\n', '{{! c }}\n{{a}} b\n'],
    ['a.yaml', 'a:\n  - b\n', '# c\n\na:\n # d\n  - b\n'],
    ['Dockerfile', 'RUN a\nRUN b\n', '# c\n\nRUN a\n  # d\nRUN b\n'],
    ['.github/workflows/.gitignore', 'a\n', '# c\na\n# d'],
  ])('of %s is no change of the code', (path, one, other) => {
    expect(isSameExceptComments(path, one, other)).toBe(true)
    expect(isSameExceptComments(path, other, one)).toBe(true)
  })

  it.each([
    ['a.ts', 'a = `\nb\n`', 'a = `\n// b\nb\n`'],
    ['a.ts', 'a = "b"', 'a = "b // c"'],
    ['a.ts', 'a()\nb()', 'a()\n// b()'],
    ['a.ts', 'return a', 'return // b\na'],
    ['a.tsx', '<p>a</p>', '<p>a // b</p>'],
    ['a.css', 'a { b: url(c) }', 'a { b: url(c//d) }'],
    ['a.html', '<p></p>', '<!--[if mso]><p>a</p><![endif]--><p></p>'],
    ['a.yaml', 'a: b', 'a: b#c'],
    ['a.yaml', 'a: "b"', 'a: "b #c"'],
    ['a.md', 'a\n', '# a\n'],
    ['a.md', 'a\n', '<!-- b -->\na\n'],
    ['a.txt', 'a\n', '# b\na\n'],
    ['a.sh', '#!/bin/sh\na\n', '#!/bin/bash\na\n'],
    ['Dockerfile', 'RUN a\n', 'RUN a # b\n'],
  ])('of %s is none, or more changed: %j, %j', (path, one, other) => {
    expect(isSameExceptComments(path, one, other)).toBe(false)
    expect(isSameExceptComments(path, other, one)).toBe(false)
  })
})
