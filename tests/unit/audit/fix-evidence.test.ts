// Covers src/audit/fix-evidence.ts and src/merge/comments.ts.
import { describe, expect, it } from 'vitest'
import { ADVISORY, affected, audit, FIXED, type Given, VULNERABLE } from '../../support/affected.ts'
import { PROJECT, type SmallMemory } from '../../support/small-project.ts'
import { jsonOf } from '../cli/outcomes.ts'

const HOME = 'src/features/auth/login.ts'
const atHome = (text: string) => text.replace("'./", "'../../")
/** Still vulnerable, but written in another way. */
const EDITED = VULNERABLE.replace("text === ''", 'text.length === 0')
/** The same, with little in common. */
const REWRITTEN = VULNERABLE.replace(
  / {2}if[^}]*\}\)\n/,
  '  const known = text.trim()\n  return ours(known)\n',
)
const [FIX = { before: [''], after: [''] }] = ADVISORY.files[0]?.changes ?? []
const fixText = FIX.after.join('\n')

const write = ({ volume }: SmallMemory, files: Record<string, string>) =>
  volume.fromJSON(
    Object.fromEntries(Object.entries(files).map(([path, text]) => [`${PROJECT}/${path}`, text])),
  )

/** @returns 0 fixed, 3 vulnerable, 5 not known */
async function exitCodeOf(given: Given, files: Record<string, string> = {}): Promise<number> {
  const memory = await affected(given)
  write(memory, files)
  const { exitCode, notChecked } = jsonOf(await audit(memory, '--json'))
  expect(notChecked).toHaveLength(exitCode === 5 ? 1 : 0)
  return exitCode
}

describe('the vulnerable text is found', () => {
  it.each<[string, string]>([
    ['with comments in it', VULNERABLE.replace('undefined\n', 'undefined // ours\n  /* ours */\n')],
    ['beside a comment with the fix', `/*\n${fixText}\n*/\n${VULNERABLE}`],
    [
      'beside an unused function with the fix',
      `${VULNERABLE}function later(text: string) {\n${fixText}\n}\n`,
    ],
  ])('%s', async (_, disk) => {
    expect(await exitCodeOf({ disk })).toBe(3)
  })

  it('if the fix adds a line, and only a comment tells where', async () => {
    const generated = VULNERABLE.replace('  return check', '  // Slow.\n  return check')
    const before = ["  if (text === '') return undefined", '  // Slow.']
    const after = ["  if (text === '') return undefined", '  if (text.length > 254) return 0', '  // Slow.']
    const given = { generated, advisory: { files: [{ path: 'src/login.ts', changes: [{ before, after }] }] } }
    expect(await exitCodeOf(given)).toBe(3)
    const disk = generated.replace(before.join('\n'), after.join('\n'))
    expect(await exitCodeOf({ ...given, disk })).toBe(0)
    expect(await exitCodeOf({ ...given, disk: disk.replace('return 0', 'return null') })).toBe(5)
  })

  it('in no comment', async () => {
    const comment = `/*\n${FIX.before.join('\n')}\n*/\n`
    expect(await exitCodeOf({ disk: `${comment}${FIXED}` })).toBe(0)
  })
})

describe('the fix does not count', () => {
  const inLogin = (text: string) => EDITED.replace('{\n', `{\n${text}\n`)
  it.each<[string, string]>([
    ['in a comment', inLogin(`/*\n${fixText}\n*/`)],
    ['in comments at the ends of lines', inLogin(fixText.replaceAll('\n', ' //\n').replace(/^/gm, '// '))],
    ['in a template literal', inLogin(`  const note = \`\n${fixText}\n\``)],
    ['in an unused function', `${EDITED}\nfunction later(text: string) {\n${fixText}\n}\n`],
    ['in an unused function above', `function later(text: string) {\n${fixText}\n}\n${EDITED}`],
    [
      'in a function of another class',
      `${EDITED}\nclass Later {\n  login(text: string) {\n${fixText}\n  }\n}\n`,
    ],
    [
      'in an unused function, and the vulnerable one was rewritten',
      `${REWRITTEN.replace('\nexport const', `\nfunction later(text: string) {\n${fixText}\n}\n\nexport const`)}`,
    ],
    ['in part', FIXED.replace(' || text.length > 254', ' || text.length > 65_536')],
  ])('%s', async (_, disk) => {
    expect(await exitCodeOf({ disk })).toBe(5)
    // Nor after an update that generated the fix.
    expect(await exitCodeOf({ disk, generator: '0.2.0', since: '0.1.0', generated: FIXED })).toBe(5)
  })

  it.each<[string, Record<string, string>]>([
    ['that nothing imports', {}],
    ['that only a test imports', { 'test/login.test.ts': "import { login } from '../src/old/login.ts'\n" }],
    ['that a comment imports', { 'src/use.ts': "// import { login } from './old/login.ts'\n" }],
    ['that imports itself', { 'src/old/login.ts': `${atHome(FIXED)}export * from './login.ts'\n` }],
  ])('in a copy %s', async (_, files) => {
    const copy = { 'src/old/login.ts': FIXED.replace("'./", "'../") }
    const use = { 'src/app-login.ts': "import { login } from './features/auth/login.ts'\n\nlogin('')\n" }
    expect(await exitCodeOf({ disk: null }, { ...copy, ...use, [HOME]: atHome(EDITED), ...files })).toBe(5)
  })

  it('if it only removes text, and the text that it keeps is there', async () => {
    const removal = { path: 'src/login.ts', changes: [{ before: FIX.before, after: FIX.before.slice(0, 1) }] }
    const advisory = { files: [removal] }
    const removed = VULNERABLE.replace('  return check(text, { slow: true })\n', '')
    expect(await exitCodeOf({ advisory })).toBe(3)
    expect(await exitCodeOf({ advisory, disk: VULNERABLE.replace('slow: true', 'slow: !0') })).toBe(5)
    const replaced = removed.replace('undefined\n', 'undefined\n  slowCheck\n')
    expect(await exitCodeOf({ advisory, disk: replaced })).toBe(5)
    expect(await exitCodeOf({ advisory, disk: removed })).toBe(0)
  })

  it('without a record of what was generated', async () => {
    const memory = await affected({ disk: FIXED })
    memory.volume.rmSync(`${PROJECT}/.authsmith/base.json`)
    expect((await audit(memory)).exitCode).toBe(5)
  })
})

describe('the fix counts', () => {
  it.each<[string, string]>([
    ['as it is', FIXED],
    ['in another layout', FIXED.replaceAll("'", '"').replaceAll('  ', '\t').replaceAll(')\n', ');\n')],
    [
      'beside edits',
      FIXED.replace('{\n', '{\n  console.log(text)\n').replace('check(text)', 'check(text).trim()'),
    ],
    [
      'beside a statement at the same place',
      FIXED.replace('return check(text)', 'log()\n  return check(text)'),
    ],
    ['beside comments', FIXED.replace('{\n', '{ // ours\n').replace(' || text', ' /* ours */ || text')],
    ['around comments', FIXED.replace(' > 254', ' > /* ours */ 254')],
    ['beside an edit of the same condition', FIXED.replace(' > 254', " > 254 || text === '-'")],
    ['in a function that is not exported any more', FIXED.replace('export function', 'async function')],
    ['with other imports', FIXED.replace(/^import.*/, "import { check } from '@/check.ts'")],
    ['beside other declarations', `${FIXED}\nexport const more = () => login('')\n`],
  ])('%s', async (_, disk) => {
    expect(await exitCodeOf({ disk })).toBe(0)
    expect(await exitCodeOf({ disk, generator: '0.2.0', since: '0.1.0', generated: FIXED })).toBe(0)
  })

  it('as a later version generated it, in another form', async () => {
    const generated = FIXED.replace(' > 254', ' > /* code units */ 254')
    const given = { generator: '0.2.0', since: '0.1.0', generated }
    expect(await exitCodeOf({ ...given, disk: generated })).toBe(0)
    expect(await exitCodeOf({ ...given, disk: `${generated}// Ours.\n` })).toBe(5)
  })

  it.each<[string, string, Record<string, string>]>([
    ['imports', HOME, { 'src/use.ts': "import { login } from './features/auth/login.ts'\n" }],
    ['imports by an alias', HOME, { 'src/use.ts': "import { login } from '@/features/auth/login.js'\n" }],
    ['loads', 'src/routes/auth/login.ts', {}],
  ])('in a file that the owner moved and the service %s', async (_, path, files) => {
    expect(await exitCodeOf({ disk: null }, { [path]: atHome(`${FIXED}// Ours.\n`), ...files })).toBe(0)
  })
})

describe('a file in another language', () => {
  const advisory = (path: string, before: string, after: string) => ({
    files: [{ path, changes: [{ before: before.split('\n'), after: after.split('\n') }] }],
  })
  it.each<[string, string, string, string]>([
    ['Dockerfile', 'USER root\nEXPOSE 80', 'USER node\nEXPOSE 80', '# USER node\n# EXPOSE 80'],
    ['emails/a.html', '<p>\n{{{name}}}\n</p>', '<p>\n{{name}}\n</p>', '<!-- <p>\n{{name}}\n</p> -->'],
    ['src/a.css', 'a { b: c }\nd { e: f }', 'a { b: g }\nd { e: f }', '/* a { b: g }\nd { e: f } */'],
  ])('%s', async (path, before, after, comment) => {
    const memory = await affected({ advisory: advisory(path, before, after), disk: FIXED })
    const codeWith = async (text: string) => {
      const file = `${PROJECT}/.authsmith/base.json`
      const base = JSON.parse(memory.volume.readFileSync(file, 'utf8') as string)
      base.files[path] = `one\n${before}\ntwo\n`
      write(memory, { '.authsmith/base.json': JSON.stringify(base), [path]: `one\n${text}\ntwo\n` })
      return (await audit(memory)).exitCode
    }
    expect(await codeWith(before)).toBe(3)
    expect(await codeWith(after)).toBe(0)
    expect(await codeWith(`${after}\nthree`)).toBe(0)
    const [line = '', ...lines] = before.split('\n')
    expect(await codeWith([`${line} edited`, ...lines, comment].join('\n'))).toBe(5)
  })
})

describe('a file that a switch left to the owner', () => {
  /** Of a layer that the project does not have any more. */
  const left = async (disk: string | null, files: Record<string, string> = {}) => {
    const memory = await affected({ disk, advisory: { layers: ['core/auth'] } })
    const file = `${PROJECT}/.authsmith/base.json`
    const { files: generated, ...base } = JSON.parse(memory.volume.readFileSync(file, 'utf8') as string)
    const { 'src/login.ts': login, ...others } = generated
    const dropped = { 'src/login.ts': login }
    write(memory, { '.authsmith/base.json': JSON.stringify({ ...base, files: others, dropped }), ...files })
    return (await audit(memory)).exitCode
  }

  it.each<[string, string | null, number]>([
    ['is found', `// Ours.\n${VULNERABLE}`, 3],
    ['is not checked if its text was edited', EDITED, 5],
    ['has the fix', FIXED, 0],
    ['may be deleted', null, 0],
  ])('%s', async (_, disk, exitCode) => {
    expect(await left(disk)).toBe(exitCode)
  })
})
