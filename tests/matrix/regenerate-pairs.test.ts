import { describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.ts'
import { allFiles, flagsOf, nameOf, projectOf, regenerate, run, STATES, stateNamed, tree } from './project.ts'

const PAIRS = STATES.flatMap((from) => STATES.filter((to) => to !== from).map((to) => [from, to] as const))

describe('an unedited project', () => {
  it.each(PAIRS.map(([from, to]) => ({ from, to, title: `${nameOf(from)} → ${nameOf(to)}` })))(
    'equals a fresh project: $title',
    async ({ from, to }) => {
      const memory = await projectOf(from)
      const { exitCode, stderr } = await regenerate(memory, flagsOf(to))
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(tree(memory)).toEqual(tree(await projectOf(to)))
    },
  )

  it.each(STATES.map((state) => ({ state, title: nameOf(state) })))(
    'has nothing to update and stays identical byte for byte: $title',
    async ({ state }) => {
      const memory = await projectOf(state)
      const before = allFiles(memory)
      expect(await regenerate(memory, [])).toMatchObject({
        exitCode: 0,
        stdout: expect.stringContaining('nothing to do'),
      })
      expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
      expect(allFiles(memory)).toEqual(before)
    },
  )

  it('switches through all modes and profiles and ends identical to the first state', async () => {
    const [, basicA] = STATES
    if (!basicA) throw new Error('Unknown state')
    const memory = await projectOf(basicA)
    for (const flags of [
      ['-m', 'complete'],
      ['-p', 'B'],
      ['-m', 'none'],
      ['-m', 'basic', '-p', 'A'],
    ]) {
      expect(await regenerate(memory, flags)).toMatchObject({ exitCode: 0, stderr: '' })
      expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
    }
    expect(tree(memory)).toEqual(tree(await projectOf(basicA)))
    const manifest = JSON.parse(allFiles(memory)['.authsmith/manifest.json'] ?? '')
    expect(manifest.history).toEqual(['basic-a', 'complete-a', 'complete-b', 'none', 'basic-a'])
    expect(manifest.migrated).toEqual({ sqlite: 5, postgres: 0 })
  })
})

describe('a switch of the database prints how to copy the rows', () => {
  const [, basicA] = STATES as [Answers, Answers]

  it.each([
    ['alone', ['-d', 'postgres'], 'run: create-authsmith copy-data --from <old database> --to'],
    [
      'with the mode',
      ['-d', 'postgres', '-m', 'complete'],
      'switch --database alone, run create-authsmith copy-data --from <old database> --to <new database>, then switch the rest',
    ],
    ['with the profile', ['-d', 'postgres', '-p', 'B'], 'switch --database alone'],
  ])('%s', async (_, flags, part) => {
    const memory = await projectOf(basicA)
    const { exitCode, stdout } = await regenerate(memory, flags)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(part) })
  })

  it('but a switch of the mode does not', async () => {
    const { stdout } = await regenerate(await projectOf(basicA), ['-m', 'complete'])
    expect(stdout).not.toContain('copy-data')
  })
})

it('a switch of the database names only tables that the project no longer uses', async () => {
  const memory = await projectOf(stateNamed('basic A sqlite'))
  await regenerate(memory, ['-d', 'postgres'])
  await regenerate(memory, ['-m', 'none'])
  await regenerate(memory, ['-m', 'basic', '-p', 'A'])
  const { stdout } = await regenerate(memory, ['-d', 'sqlite'])
  expect(stdout.match(/no longer uses, .*/g)).toEqual([
    'no longer uses, which stay in the database with their rows: notes',
  ])
})
