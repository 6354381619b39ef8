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

/** One of each area. `npm run attack` runs all of them. */
const SHORT = [
  'an access token with a made-up signature',
  'a made-up refresh token that ends a session',
  'guesses of one password without a limit',
  'a registration as superuser',
  'answers that any site may read',
  'HTML of a user in a mail',
]

let target: Target

beforeAll(async () => {
  const answers = ['my-api', '--mode', 'complete', '--profile', 'B', '--database', 'sqlite', '--no-git']
  const { directory } = await createLinked(newFolder(), [...answers, '--add', ADD_ON_NAMES.join()])
  target = { variant: 'complete-b-sqlite-all', folder: directory }
})

test('the generated tests notice a removed defence', async () => {
  const short = mutants.filter(({ name }) => SHORT.includes(name))
  expect(short).toHaveLength(SHORT.length)
  const figures = await attackMutants(target, short)
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})

test('sequences of calls are answered as a model of the service expects', async () => {
  const figures = await attackFuzz(target, { seed: 1, calls: 1_500 })
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})

test('what users, operators and thieves do to accounts is explained by a model of them', async () => {
  const figures = await attackAccounts(target, { seed: 1, steps: 1_500 })
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})

// Processor time, not the clock.
test('a hostile body costs little more than an ordinary one', async ({ skip }) => {
  skip(!existsSync('/proc/self/schedstat'), '/proc/self/schedstat is missing')
  const figures = await attackCost(target, { only: /\/forgot-password$/ })
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})
