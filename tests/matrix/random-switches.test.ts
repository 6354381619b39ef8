// An owner's project goes through ten switches and back.
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { type Answers, isSameAnswers } from '../../src/answers/answers.ts'
import { PACKAGE_MANAGERS } from '../../src/answers/package-managers.ts'
import { allVariants } from '../../src/answers/variant.ts'
import { EDITS, editOnDisk } from './owner-edits.ts'
import { flagsOf, type Memory, projectOf, regenerate, tree } from './project.ts'

const answers = fc
  .record({
    variant: fc.constantFrom(...allVariants()),
    packageManager: fc.constantFrom(...PACKAGE_MANAGERS),
  })
  .map(({ variant, packageManager }): Answers => ({ name: 'my-api', ...variant, addOns: [], packageManager }))

/** Switches. A conflict is an edited file that needs what is deleted: the owner accepts it as it is. */
async function switchTo(memory: Memory, to: Answers) {
  const { exitCode, stdout, stderr } = await regenerate(memory, [
    ...flagsOf(to),
    '--package-manager',
    to.packageManager,
  ])
  const conflicts = stdout.match(/CONFLICT: .*/g) ?? []
  for (const conflict of conflicts) expect(conflict).toContain('which is deleted: change or delete it')
  expect(exitCode, stderr).toBe(conflicts.length > 0 ? 4 : 0)
  if (exitCode === 4) expect((await regenerate(memory, ['--continue'])).exitCode).toBe(0)
}

it('ten random switches and back leave every byte of an edited project as it was', async () => {
  const walk = fc.tuple(answers, fc.array(answers, { minLength: 10, maxLength: 10 }))
  for (const [from, steps] of fc.sample(walk, { numRuns: process.env.TEST_ALL ? 10 : 2, seed: 20261124 })) {
    const memory = await projectOf(from)
    if (from.packageManager !== 'npm') await switchTo(memory, from)
    editOnDisk(memory, (files) => {
      for (const edit of Object.values(EDITS)) edit(files)
    })
    const before = tree(memory)
    let last = from
    for (const to of [...steps, from]) {
      if (!isSameAnswers(last, to)) await switchTo(memory, to)
      last = to
    }
    expect(tree(memory)).toEqual(before)
  }
}, 600_000)
