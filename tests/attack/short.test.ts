import { beforeAll, describe, expect, test } from 'vitest'
import { createLinked } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { attackFloods, short as fewFloods } from './floods/attack.js'
import { attackMail, short as fewMails } from './mail/attack.js'
import { attackTellTales, short as fewPairs } from './tell-tales/attack.js'

/** The laboratory in a form that counts and compares orders: no goal depends on the machine's speed. */
describe('the attacks, in their short form', () => {
  const target = { variant: 'complete-b-sqlite', folder: '' }

  beforeAll(async () => {
    const answers = ['--mode', 'complete', '--profile', 'B', '--database', 'sqlite', '--add', 'email-login']
    target.folder = (await createLinked(newFolder(), ['my-api', ...answers, '--no-git'])).directory
  })

  test.each([
    ['floods', () => attackFloods(target, fewFloods)],
    ['tell-tales', () => attackTellTales(target, fewPairs)],
    ['mail', () => attackMail(target, fewMails)],
  ])('%s', async (_part, attack) => {
    expect((await attack()).filter(({ isMissed }) => isMissed)).toEqual([])
  })
})
