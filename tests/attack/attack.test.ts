import { expect, test } from 'vitest'
import { createProject } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { attackMutants } from './mutants/attack.js'
import { mutants } from './mutants/list.js'

/** One of each area. `npm run attack` runs all of them. */
const SHORT = [
  'an access token with a made-up signature',
  'a made-up refresh token that ends a session',
  'guesses of one password without a limit',
  'a registration as superuser',
  'answers that any site may read',
  'HTML of a user in a mail',
]

test('the generated tests notice a removed defence', async () => {
  const answers = ['my-api', '--mode', 'complete', '--profile', 'B', '--database', 'sqlite', '--no-git']
  const { directory } = await createProject(newFolder(), answers)
  const short = mutants.filter(({ name }) => SHORT.includes(name))
  expect(short).toHaveLength(SHORT.length)
  const figures = await attackMutants({ variant: 'complete-b-sqlite', folder: directory }, short)
  expect(figures.filter(({ isMissed }) => isMissed)).toEqual([])
})
