import { existsSync } from 'node:fs'
import { beforeAll, expect, test } from 'vitest'
import { ADD_ON_NAMES } from '../../src/answers/add-ons.ts'
import { createLinked } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { attackAccounts } from './accounts/attack.js'
import { attackCost } from './cost/cost.js'
import { attackFuzz } from './fuzz/fuzz.js'
import { attackMutants } from './mutants/attack.js'
import { mutants } from './mutants/list.js'
import type { Target } from './target.js'

let target: Target

beforeAll(async () => {
  const answers = ['my-api', '--mode', 'complete', '--profile', 'B', '--database', 'sqlite', '--no-git']
  const { directory } = await createLinked(newFolder(), [...answers, '--add', ADD_ON_NAMES.join()])
  target = { variant: 'complete-b-sqlite-all', folder: directory }
})

test('the generated tests notice a removed defence', async () => {
  const short = mutants.filter(({ inEveryRun }) => inEveryRun)
  expect(short).toHaveLength(7)
  const figures = await attackMutants(target, short)
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})

test('sequences of calls are answered as a model of the service expects', async () => {
  const figures = await attackFuzz(target, { seed: 1, calls: 600 })
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})

test('what users, operators and thieves do to accounts is explained by a model of them', async () => {
  const figures = await attackAccounts(target, { seed: 1, steps: 700 })
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})

// Processor time, not the clock.
test('a hostile body costs little more than an ordinary one', async ({ skip }) => {
  skip(!existsSync('/proc/self/schedstat'), '/proc/self/schedstat is missing')
  const figures = await attackCost(target, { only: /\/forgot-password$/ })
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})
