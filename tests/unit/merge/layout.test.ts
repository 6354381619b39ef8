// Covers src/merge/tokens.ts.
import { describe, expect, it } from 'vitest'
import { allVariants } from '../../../src/answers/variant.ts'
import { planOf } from '../../../src/blueprints/layers.ts'
import { isSameExceptLayout, layOutAs } from '../../../src/merge/layout.ts'
import { tokensOf } from '../../../src/merge/tokens.ts'
import { renderOnce } from '../../support/blueprints.ts'

describe('only layout differs', () => {
  it.each([
    ['a.ts', "const a = 'it\\'s'\n", 'const a = "it\'s";\n'],
    ['a.ts', 'f(a, b)\n', 'f(\n\ta,\n\tb, // ours\n);\n'.replace(' // ours', '')],
    ['a.ts', "type A = 'a' | 'b'\n", 'type A =\n\t| "a"\n\t| "b";\n'],
    ['a.ts', 'f(async (a) => b, (c) => d)\n', 'f(async a => b, c => d);\n'],
    ['a.ts', "f({ a: 1, 'b-c': d ? 'e' : f })\n", 'f({\n\t"a": 1,\n\t"b-c": d ? "e" : f,\n});\n'],
    ['a.ts', 'return a && b\n', 'return (\n\ta &&\n\tb\n);\n'],
    ['a.ts', 'x((a) => a ? b : c, d)', 'x((a) => (a ? b : c), d)'],
    ['a.ts', '/**\n * A.\n */\nconst a = 1\n', '\t/**\n\t * A.\n\t */\n\tconst a = 1;\n'],
    ['a.ts', "const a = `b ${c ? 'd' : ''} e`\n", 'const a = `b ${c ? "d" : ""} e`;\n'],
    ['a.ts', 'a()\n;[b].map(c)\n', 'a();\n[b].map(c);\n'],
    ['a.ts', 'if (a) return\nq.for(b)\n', 'if (a) return;\nq.for(b);\n'],
    ['a.ts', 'type A = B<C<D>>\n', 'type A = B<\n\tC<D>\n>;\n'],
    ['a.tsx', 'a = () => <p b="c">d</p>\n', 'a = () => (\n\t<p b="c">d</p>\n);\n'],
    ['a.json', '{ "a": [1, 2] }\n', '{\n\t"a": [\n\t\t1,\n\t\t2\n\t]\n}\n'],
    ['a.css', 'a { color: red }\n', 'a {\n\tcolor: red;\n}\n'],
    ['a.html', '<p>A long<br>text</p>\n', '<p>\n\tA\n\tlong<br />text\n</p>\n'],
    ['a.md', '| a | b |\n|---|--:|\n| c | d |\n', '| a   |   b |\n| --- | --: |\n| c   |   d |\n'],
    [
      'a.yml',
      "a:\n  b: ['c', d]\n  e:\n    - f\n",
      'a:\n    b:\n        [\n            "c",\n            d,\n        ]\n    e:\n        - f\n',
    ],
    ['a.md', '```yaml\na: { b: 1 }\n```\n', '```yaml\na:\n  { b: 1 }\n```\n'],
    ['a.md', "```ts\nf('a')\n```\n", '```ts\nf("a");\n```\n'],
  ])('%s: %j', (path, one, other) => {
    expect(isSameExceptLayout(path, one, other)).toBe(true)
    expect(layOutAs(other, path, one)).toBe(other)
  })
})

describe('more than layout differs', () => {
  it.each([
    ['a.ts', "a = 'b c'", "a = 'b  c'"],
    ['a.ts', 'a = `b c`', 'a = `b  c`'],
    ['a.ts', 'a = /b c/', 'a = /b  c/'],
    ['a.ts', 'a = [1, , 2]', 'a = [1, 2]'],
    ['a.ts', 'a = [,,]', 'a = [,]'],
    ['a.ts', 'for (; a; ) b()', 'for (; ; a) b()'],
    ['a.ts', 'a\n;(b)()', 'a\n(b)()'],
    ['a.ts', '(a + b) * c', 'a + b * c'],
    ['a.ts', 'return (a + b) * c', 'return a + b * c'],
    ['a.ts', 'f((a) => (a, b))', 'f((a) => a, b)'],
    ['a.ts', '() => ({ a: 1 })', '() => { a: 1 }'],
    ['a.ts', '// a\nb()', '// c\nb()'],
    ['a.ts', '// a\nb()', '// a b()\n'],
    ['a.ts', 'a ? b : c', 'a ?? c'],
    ['a.ts', '// one', ''],
    ['a.ts', 'return\na', 'return a'],
    ['a.ts', 'break\na', 'break a'],
    ['a.ts', 'a\n++b', 'a++\nb'],
    ['a.ts', 'if (a);\nb()', 'if (a)\nb()'],
    ['a.ts', 'if (a) /b  c/.test(d)', 'if (a) /b c/.test(d)'],
    ['a.ts', '{}\n/b  c/.test(d)', '{}\n/b c/.test(d)'],
    ['a.ts', '`a${{ b: `c  d` }}`', '`a${{ b: `c d` }}`'],
    ['a.ts', 'a /* b  c */', 'a /* b c */'],
    ['a.ts', 'a = "b', 'a = "c'],
    ['a.tsx', "<p>it's a  b</p>", "<p>it's a b</p>"],
    ['a.tsx', '<p>a; b</p>', '<p>a b</p>'],
    ['a.tsx', "<p a='\\\"' />", "<p a='\"' />"],
    ['a.json', '{ "a": "b" }', '{ "a": "b " }'],
    ['a.css', 'a { margin: 1 0 }', 'a { margin: 10 }'],
    ['a.html', '<p>a b</p>', '<p>ab</p>'],
    ['a.md', '```sh\na\n  b\n```\n', '```sh\na\nb\n```\n'],
    ['a.md', '# a', '## a'],
    ['a.ts', 'a ? "b" : c', 'a ? b : c'],
    ['a.ts', 'case "a": b()', 'case a: b()'],
    ['a.ts', 'f((a, b) => c)', 'f(a, b => c)'],
    ['a.yaml', 'a:\n  b: 1\n', 'a:\nb: 1\n'],
    ['a.yaml', 'a: |\n  b\n    c\n', 'a: |\n  b\n  c\n'],
    ['a.yaml', 'a: "b\\n"\n', "a: 'b\\n'\n"],
    ['a.yaml', 'a: b c\n', 'a: bc\n'],
    ['a.yaml', 'a: "b  c"\n', 'a: "b c"\n'],
    ['a.yaml', '- a\n- b\n', '- a\n  - b\n'],
    ['Dockerfile', 'RUN a\n', 'RUN  a\n'],
  ])('%s: %j', (path, one, other) => {
    expect(isSameExceptLayout(path, one, other)).toBe(false)
    expect(isSameExceptLayout(path, other, one)).toBe(false)
  })

  it('if any word of a generated file is removed', () => {
    const [first] = allVariants().filter(({ mode, profile }) => mode === 'complete' && profile === 'B')
    if (!first) throw new Error('no variant')
    const files = renderOnce(planOf({ ...first, name: 'my-api', addOns: [], packageManager: 'npm' }))
    for (const [path, text] of files) {
      const tokens = tokensOf(path, text) ?? []
      const values = tokens.map(({ value }) => value).join('\n')
      const nth = Math.ceil(tokens.length / 5)
      for (const { value, start, end } of tokens.filter((_, at) => at % nth === 0)) {
        if (!/^[\w"]/.test(value)) continue
        const without = `${text.slice(0, start)} ${text.slice(end)}`
        expect(
          tokensOf(path, without)
            ?.map((one) => one.value)
            .join('\n'),
        ).not.toBe(values)
      }
    }
  })
})

describe('a text in the layout of another one', () => {
  it('keeps the layout of what is new', () => {
    const model = 'f(\n\ta,\n\tb,\n);\n\ng("c");\n'
    expect(layOutAs(model, 'a.ts', "f(a, b)\nh('d')\ng('c')\n")).toBe(
      'f(\n\ta,\n\tb,\n)\nh(\'d\')\ng("c");\n',
    )
  })

  it('is the text itself where the layout would change its meaning', () => {
    const text = 'return a && c\n'
    expect(isSameExceptLayout('a.ts', layOutAs('return (\n\ta &&\n\tb\n);\n', 'a.ts', text), text)).toBe(true)
    expect(layOutAs('a:\n  b\n', 'a.yaml', 'a: b\n')).toBe('a: b\n')
  })
})
