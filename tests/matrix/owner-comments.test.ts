// Covers src/merge/own-comments.ts and src/update/files/decide.ts: owners who changed nothing but comments.
import { describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.ts'
import { plainText } from '../../src/project/disk.ts'
import { allFiles, flagsOf, type Memory, projectOf, regenerate, stateNamed, tree } from './project.ts'

const LICENCE = 'Copyright Shop Ltd, all rights reserved.'
/** The files that can have a comment, with one in their first lines. */
const HEADERS: readonly [RegExp, string][] = [
  [/\.(?:[cm]?[jt]s|css)$/, `/*\n  ${LICENCE}\n*/\n`],
  [/\.(?:html|mustache)$/, `<!-- ${LICENCE} -->\n`],
  [/\.ya?ml$|(?:^|\/)(?:Dockerfile|Caddyfile|\.editorconfig|\.gitignore)$/, `# ${LICENCE}\n\n`],
]

function addHeaders(memory: Memory): string[] {
  const isOurs = (path: string) => !/^(?:\.authsmith|migrations|\.env)/.test(path)
  return Object.entries(allFiles(memory)).flatMap(([path, text]) => {
    const header = HEADERS.find(([pattern]) => pattern.test(path))?.[1]
    if (header === undefined || !isOurs(path)) return []
    // Some in a Windows editor, with a byte order mark.
    const isCrLf = path.startsWith('test/')
    const headed = isCrLf ? `\u{feff}${(header + text).replaceAll('\n', '\r\n')}` : header + text
    memory.volume.writeFileSync(`/work/my-api/${path}`, headed)
    return [path]
  })
}

const withoutHeader = (text: string) =>
  HEADERS.reduce((rest, [, header]) => rest.replace(header, ''), plainText(text))
const plain = (memory: Memory) =>
  Object.fromEntries(Object.entries(tree(memory)).map(([path, text]) => [path, withoutHeader(text)]))

const B: Answers = { ...stateNamed('complete B sqlite'), addOns: ['admin', 'metrics'] }

describe('a licence header in every file', () => {
  it.each<[string, string[], Answers]>([
    ['an add-on is removed', ['--remove', 'admin'], { ...B, addOns: ['metrics'] }],
    [
      'the profile is switched',
      ['--profile', 'A'],
      { ...stateNamed('complete A sqlite'), addOns: ['metrics'] },
    ],
    [
      'the mode and the database are switched',
      ['--mode', 'basic', '--database', 'postgres'],
      { ...stateNamed('basic B postgres'), addOns: ['admin', 'metrics'] },
    ],
  ])('stays where the code stays if %s', async (_, flags, to) => {
    const memory = await projectOf(B)
    const headed = addHeaders(memory)
    const before = allFiles(memory)
    const { exitCode, stdout } = await regenerate(memory, flags)
    expect(exitCode, stdout).toBe(0)
    expect(plain(memory)).toEqual(plain(await projectOf(to)))
    const after = tree(memory)
    const stayed = headed.filter((path) => path in after)
    expect(stayed.filter((path) => !after[path]?.includes(LICENCE))).toEqual([])
    // What is gone is named.
    const [, named = ''] = /comments of yours are gone with the code: (.*)/.exec(stdout) ?? []
    const gone = headed.filter((path) => !(path in after))
    expect(named.split(', ').sort()).toEqual(gone.sort())
    expect(stdout).not.toContain('your tables')

    expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
    expect(allFiles(memory)).toEqual(before)
    // There and back.
    await regenerate(memory, flags)
    const add = ['--add', B.addOns.join()]
    expect((await regenerate(memory, [...flagsOf(B), ...add])).exitCode).toBe(0)
    const now = tree(memory)
    for (const path of headed) expect(now[path], path).toBe(before[path])
  })
})
