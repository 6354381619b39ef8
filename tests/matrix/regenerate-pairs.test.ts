import { describe, expect, it } from 'vitest'
import type { Answers } from '../../src/answers.ts'
import { allFiles, flagsOf, nameOf, projectOf, regenerate, run, STATES, tree } from '../unit/project.ts'

const PAIRS = STATES.flatMap((from) => STATES.filter((to) => to !== from).map((to) => [from, to] as const))

describe('a project that nobody touched', () => {
  it.each(PAIRS.map(([from, to]) => ({ from, to, title: `${nameOf(from)} → ${nameOf(to)}` })))(
    'is what a fresh one is: $title',
    async ({ from, to }) => {
      const memory = await projectOf(from)
      const { exitCode, stderr } = await regenerate(memory, flagsOf(to))
      expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
      expect(tree(memory)).toEqual(tree(await projectOf(to)))
    },
  )

  it.each(STATES.map((state) => ({ state, title: nameOf(state) })))(
    'has nothing to do, and stays as it is to the byte: $title',
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

  it('goes through all modes and profiles and comes back as it was', async () => {
    const [, basicA] = STATES
    if (!basicA) throw new Error('no state')
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

describe('a switch of the database says how the rows follow', () => {
  const [, basicA] = STATES as [Answers, Answers]

  it.each([
    ['alone', ['-d', 'postgres'], 'db:copy carries them over'],
    [
      'with the mode',
      ['-d', 'postgres', '-m', 'complete'],
      'switch --database alone, copy, and switch the rest then',
    ],
    ['with the profile', ['-d', 'postgres', '-p', 'B'], 'switch --database alone'],
  ])('%s', async (_, flags, part) => {
    const memory = await projectOf(basicA)
    const { exitCode, stdout } = await regenerate(memory, flags)
    expect({ exitCode, stdout }).toEqual({ exitCode: 0, stdout: expect.stringContaining(part) })
  })

  it('and a switch of the mode does not', async () => {
    const { stdout } = await regenerate(await projectOf(basicA), ['-m', 'complete'])
    expect(stdout).not.toContain('db:copy')
  })
})
