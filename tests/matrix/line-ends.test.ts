import { describe, expect, it } from 'vitest'
import { ADVISORIES } from '../support/older-version.ts'
import {
  allFiles,
  type Memory,
  olderProject,
  projectOf,
  regenerate,
  run,
  stateNamed,
  tree,
} from './project.ts'

const ROOT = '/work/my-api/'
const MARK = '\u{feff}'

/** Gives every file the line ends of a checkout on Windows, and some a byte order mark, as its editors do. */
function asOnWindows(memory: Memory): Record<string, string> {
  for (const [path, text] of Object.entries(allFiles(memory)))
    memory.fs.writeFileSync(
      ROOT + path,
      (/^(?:package\.json|\.env|src\/app\.ts)$/.test(path) ? MARK : '') + text.replaceAll('\n', '\r\n'),
    )
  return allFiles(memory)
}

const withLf = (files: Record<string, string>) =>
  Object.fromEntries(
    Object.entries(files).map(([path, text]) => [path, text.replace(MARK, '').replaceAll('\r\n', '\n')]),
  )

const mixed = (files: Record<string, string>) =>
  Object.entries(files).flatMap(([path, text]) =>
    text.includes('\r\n') && /(?<!\r)\n/.test(text) ? [path] : [],
  )

/** What the report says about files that the owner edited. */
const EDITED = /edited by you|merged with|CONFLICT|no longer generated|kept as it is/

const COMPLETE_B = stateNamed('complete B sqlite')

describe('a checkout with CR LF', () => {
  it.each([
    ['add', 'metrics'],
    ['remove', 'pages'],
    ['regenerate', '--profile', 'A'],
    ['regenerate', '--mode', 'basic'],
    ['regenerate', '--mode', 'none'],
    ['regenerate', '--database', 'postgres'],
    ['regenerate', '--package-manager', 'pnpm'],
  ])('is changed like any other, and keeps its line ends: %s %s %s', async (...argv) => {
    const answers = { ...COMPLETE_B, addOns: ['pages'] as const }
    const command = [...argv, '--no-install']
    const plain = await projectOf(answers)
    const { stdout: usual } = await run(plain, command)
    const memory = await projectOf(answers)
    const before = asOnWindows(memory)
    const { exitCode, stdout, stderr } = await run(memory, command)
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).not.toMatch(EDITED)
    expect(stdout).toBe(usual)
    const after = allFiles(memory)
    const secret = /^(.*SECRET_KEY)=.+$/gm
    const comparable = (files: Memory) =>
      Object.entries(withLf(tree(files))).map(([path, text]) => [path, text.replaceAll(secret, '$1')])
    expect(comparable(memory)).toEqual(comparable(plain))
    expect(mixed(after)).toEqual([])
    const stays = Object.keys(after).filter((path) => path in before && !path.startsWith('.authsmith/'))
    expect(stays.filter((path) => !after[path]?.includes('\r\n'))).toEqual([])
    expect(after['package.json']?.startsWith(MARK)).toBe(true)
    expect(after['.env']?.startsWith(MARK)).toBe(true)
    await run(memory, ['regenerate', '--abort'])
    expect(allFiles(memory)).toEqual(before)
  })

  it('is merged with the edits of its owner', async () => {
    const memory = await projectOf(COMPLETE_B)
    asOnWindows(memory)
    const file = `${ROOT}package.json`
    const edited = String(memory.fs.readFileSync(file)).replace(
      '"dev":',
      '"ours": "node ours.js",\r\n    "dev":',
    )
    memory.fs.writeFileSync(file, edited)
    const { stdout, exitCode } = await regenerate(memory, ['--mode', 'none'])
    expect(exitCode).toBe(0)
    expect(stdout.match(new RegExp(EDITED, 'g'))).toEqual(['merged with'])
    const after = allFiles(memory)
    expect(after['package.json']).toContain('\r\n    "ours": "node ours.js",\r\n')
    expect(after['package.json']?.startsWith(MARK)).toBe(true)
    expect(mixed(after)).toEqual([])
  })

  it('has the defects that audit knows, and gets their fixes', async () => {
    const memory = await olderProject(COMPLETE_B)
    asOnWindows(memory)
    const { stdout } = await run(memory, ['audit'])
    expect(stdout).toContain(ADVISORIES.advisories[0]?.id)
    const fixed = await run(memory, ['audit', '--fix'])
    expect({ exitCode: fixed.exitCode, stderr: fixed.stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(mixed(allFiles(memory))).toEqual([])
  })

  it.each(['\n', '\r\n'])('is undone after git changed all line ends to %j', async (end) => {
    const memory = await projectOf(COMPLETE_B)
    const before = asOnWindows(memory)
    await regenerate(memory, ['--mode', 'basic'])
    const written = allFiles(memory)
    for (const [path, text] of Object.entries(written))
      if (!path.startsWith('.authsmith/'))
        memory.fs.writeFileSync(ROOT + path, text.replaceAll('\r\n', '\n').replaceAll('\n', end))
    const { stdout, stderr, exitCode } = await regenerate(memory, ['--abort'])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).not.toContain('was kept')
    expect(withLf(allFiles(memory))).toEqual(withLf(before))
  })
})

it('a project of the same state with other line ends is up to date', async () => {
  const memory = await projectOf(COMPLETE_B)
  asOnWindows(memory)
  const { stdout, exitCode } = await run(memory, ['status'])
  expect(exitCode).toBe(0)
  expect(stdout).not.toMatch(EDITED)
  expect((await regenerate(memory, ['--check'])).exitCode).toBe(0)
})
