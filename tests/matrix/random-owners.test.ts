// Random owners go through random switches, additions and removals. TEST_SEED=7 replays one, TEST_OWNERS=200 tries more.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import type { Answers } from '../../src/answers/answers.ts'
import { isSameExceptComments, isSameExceptLayout } from '../../src/merge/layout.ts'
import { hasMarkers } from '../../src/merge/merge-text.ts'
import { editOnDisk } from './owner-edits.ts'
import { allFiles, flagsOf, freshTree, type Memory, nameOf, projectOf, regenerate, tree } from './project.ts'
import { diceOf, type Owner, randomOwner, randomState, randomStep } from './random-owners.ts'

const { TEST_ALL, TEST_OWNERS, TEST_SEED } = process.env
const OWNERS = Number(TEST_OWNERS ?? (TEST_ALL ? 1000 : 6))
/** Of six owners, one writes nothing but comments and files of their own. */
const isCareful = (seed: number) => seed % 6 === 0
const seeds = TEST_SEED ? [Number(TEST_SEED)] : Array.from({ length: OWNERS }, (_, at) => 20261128 + at)

const switchTo = (memory: Memory, from: Answers, to: Answers) => {
  const removed = from.addOns.filter((addOn) => !to.addOns.includes(addOn))
  const lists = { '--add': to.addOns, '--remove': removed }
  const flags = Object.entries(lists).flatMap(([flag, names]) =>
    names.length > 0 ? [flag, names.join()] : [],
  )
  return regenerate(memory, [...flagsOf(to), ...flags])
}

/** Without the journal of the last update, which an abort removes. */
const records = (memory: Memory) =>
  Object.fromEntries(
    Object.entries(allFiles(memory)).filter(
      ([path]) => !/\/(?:undo\.tmp|pending\.json|\.gitignore)$/.test(path),
    ),
  )

/** As an owner who keeps both sides of each conflict. */
async function resolve(memory: Memory) {
  editOnDisk(memory, (files) => {
    for (const [path, text] of Object.entries(files))
      if (!path.startsWith('.authsmith/') && hasMarkers(path, text))
        files[path] = text.replace(/^(?:<{7} yours|={7}|>{7} create-authsmith: .*)\n/gm, '')
  })
  return regenerate(memory, ['--continue'])
}

function expectOwners(memory: Memory, { marks, own }: Owner, gone: Set<string>, stdout: string) {
  const files = tree(memory)
  const text = Object.values(files).join('\n')
  const named = /comments of yours are gone with the code: (.*)/.exec(stdout)?.[1]?.split(', ') ?? []
  const { restyled = {} } = JSON.parse(allFiles(memory)['.authsmith/base.json'] ?? '{}')
  for (const path of named) gone.add(path)
  const isKept = (mark: string) =>
    text.includes(mark) || Object.values<string>(restyled).some((each) => each.includes(mark))
  expect(marks.filter((mark) => !isKept(mark))).toEqual([])
  // What only the base has was named.
  if (marks.some((mark) => !text.includes(mark))) expect(gone.size).toBeGreaterThan(0)
  for (const [path, text] of Object.entries(own)) expect(files[path], path).toBe(text)
}

/** Byte for byte. Where an owner changed quotes and the generator lines beside them, a line may be broken elsewhere. */
function expectSame(now: Record<string, string>, before: Record<string, string>, owner?: Owner) {
  expect(Object.keys(now).sort()).toEqual(Object.keys(before).sort())
  const isRequoted = owner?.does.some((edit) => edit.startsWith('quotes'))
  for (const [path, text] of Object.entries(now))
    if (!isRequoted || !isSameExceptLayout(path, text, before[path] ?? ''))
      expect(text, path).toBe(before[path])
}

/** In a project of the state, of which the owner changed only comments. */
function expectCode(memory: Memory, state: Answers) {
  const files = tree(memory)
  for (const [path, text] of Object.entries(freshTree(state)))
    expect(isSameExceptComments(path, files[path] ?? '', text), path).toBe(true)
}

async function live(seed: number, dice: ReturnType<typeof diceOf>) {
  let state = randomState(dice)
  const memory = await projectOf(state)
  let owner: Owner | undefined
  editOnDisk(memory, (files) => {
    const all = Object.entries(files).filter(([path]) => !/^(?:\.authsmith\/|migrations\/|\.env$)/.test(path))
    const edited = Object.fromEntries(all)
    owner = randomOwner(dice, edited, isCareful(seed))
    for (const [path] of all) delete files[path]
    Object.assign(files, edited)
  })
  const steps = [randomStep(dice, state), randomStep(dice, state)]
  const name = (to: Answers) => [nameOf(to), ...to.addOns].join(' ')
  const story = [`seed ${seed}`, name(state), ...(owner?.does ?? []), ...steps.map(name)].join('\n  ')
  const gone = new Set<string>()
  try {
    for (const to of steps) {
      const [before, files] = [records(memory), tree(memory)]
      const first = await switchTo(memory, state, to)
      // Users log in with an add-on that the new state cannot have.
      if (first.exitCode === 2) continue
      expect([0, 4], first.stderr).toContain(first.exitCode)
      if (first.stdout.includes('): nothing to do')) continue
      const changed = allFiles(memory)
      // Every byte comes back, and the same update can be made again.
      const aborted = await regenerate(memory, ['--abort'])
      expect(aborted.exitCode, aborted.stderr).toBe(0)
      expect(records(memory)).toEqual(before)
      await switchTo(memory, state, to)
      expect(tree(memory)).toEqual(
        Object.fromEntries(Object.entries(changed).filter(([path]) => path in tree(memory))),
      )
      if (owner) expectOwners(memory, owner, gone, first.stdout)
      if (first.exitCode === 4) {
        const resolved = await resolve(memory)
        expect(resolved.exitCode, resolved.stderr).toBe(0)
      } else {
        if (isCareful(seed)) expectCode(memory, to)
        // There and back without a conflict is where it began.
        const back = await switchTo(memory, to, state)
        if (back.exitCode !== 2 && back.exitCode !== 4) {
          expect(back.exitCode, back.stderr).toBe(0)
          expectSame(tree(memory), files, owner)
          expect((await switchTo(memory, state, to)).exitCode).toBe(0)
        } else if (back.exitCode === 4) expect((await regenerate(memory, ['--abort'])).exitCode).toBe(0)
      }
      if (owner) expectOwners(memory, owner, gone, first.stdout)
      state = to
    }
  } catch (error) {
    console.error(story)
    throw error
  }
}

it.each(seeds)('owner %i loses no line, gets every byte back, and returns to where they began', (seed) =>
  fc.assert(
    fc.asyncProperty(fc.gen(), (draw) => live(seed, diceOf(draw))),
    { seed, numRuns: 1, endOnFailure: true },
  ),
)
