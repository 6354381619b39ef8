import { describe, expect, test } from 'vitest'
import { STATES, type State } from '../../src/answers/variant.ts'
import { olderTables } from '../support/older-version.ts'
import { freshFiles } from './living-project.ts'
import { everyRun, serviceOn } from './service.ts'

const PAIRS = STATES.flatMap((from) => STATES.filter((to) => to !== from).map((to) => [from, to] as const))

describe.each(['sqlite', 'postgres'] as const)('%s: a switch that was taken back', (dialect) => {
  const { living, column, run, register, logIn, sessions, mail, redeemable, verified, endAccess } =
    serviceOn(dialect)

  const pairs = everyRun(PAIRS, dialect)
  test.each(pairs)('from %s to %s can be repeated, although the database was migrated', (from, to) =>
    living(from, async (project) => {
      if (from !== 'none') await register(project, 'alice')
      const takeBack = project.remember()
      await project.to(to)
      if (to !== 'none') await register(project, 'bob')
      takeBack()
      await project.to(to)
      expect(await project.generate()).toContain('No schema changes')
      if (to !== 'none') expect(await column(project, 'SELECT username FROM users')).toContain('bob')
    }),
  )

  test('can be repeated with those after it, and with migrations that the owner added in between', () =>
    living('basic-a', async (project) => {
      const takeBack = project.remember()
      await project.to('complete-a')
      await project.to('complete-b')
      await project.to('none')
      takeBack()
      await project.ownMigration('CREATE TABLE own (id integer);')
      for (const state of ['complete-a', 'complete-b', 'none', 'basic-b'] as const) await project.to(state)
      expect(await project.generate()).toContain('No schema changes')
    }))

  test('is applied to a database that was not migrated in between', () =>
    living('basic-a', async (project) => {
      await register(project, 'alice')
      const takeBack = project.remember()
      await project.to('complete-b', { isApplied: false })
      takeBack()
      await project.to('complete-b')
      await logIn(project, 'alice', 'one')
    }))

  test('creates a table again that the owner dropped since an earlier switch', () =>
    living('complete-b', async (project) => {
      await project.to('complete-a')
      await project.to('basic-a')
      await project.ownMigration('DROP TABLE tokens;')
      await project.to('complete-a')
      expect(await column(project, 'SELECT count(*) FROM tokens')).toEqual([0])
      await project.to('basic-a')
      await project.ownMigration('DROP TABLE tokens;')
      await project.to('complete-a')
      expect(await column(project, 'SELECT count(*) FROM tokens')).toEqual([0])
    }))

  test.each(['complete-a', 'complete-b'] as const)(
    'to %s revokes what the first one issued: mode basic did not revoke it',
    (complete) =>
      living(complete === 'complete-a' ? 'basic-a' : 'basic-b', async (project) => {
        await register(project, 'alice')
        const takeBack = project.remember()
        await project.to(complete, { existingUsers: 'verified' })
        await logIn(project, 'alice', 'stolen')
        await mail(project, 'alice', 'reset', 'code')
        takeBack()
        await endAccess(project, 'alice')
        await project.to(complete)
        expect(await sessions(project)).toEqual([])
        expect(await redeemable(project)).toEqual([])
        expect(await verified(project)).toEqual([])
      }),
  )

  test.each(['complete-a', 'complete-b'] as const)(
    'from %s to mode basic still revokes and withdraws what mode basic ended the first time',
    (complete) =>
      living(complete, async (project) => {
        for (const name of ['alice', 'address', 'password']) {
          await register(project, name)
          await logIn(project, name, `session of ${name}`)
        }
        await run(project, 'UPDATE users SET is_verified = true')
        const basic: State = complete === 'complete-a' ? 'basic-a' : 'basic-b'
        const takeBack = project.remember()
        await project.to(basic)
        await run(project, "UPDATE users SET email = 'victim@example.com' WHERE username = 'address'")
        await endAccess(project, 'password')
        takeBack()
        await project.to(basic)
        await project.to(complete)
        expect(await verified(project)).toEqual(['alice', 'password'])
        expect(await sessions(project)).toEqual(['session of alice'])
      }),
  )

  test('invalidates the access tokens of before it again', () =>
    living('complete-b', async (project) => {
      await register(project, 'alice')
      const takeBack = project.remember()
      await project.to('basic-b')
      await run(project, 'UPDATE users SET tokens_valid_from = NULL')
      takeBack()
      await project.to('basic-b')
      expect(await column(project, 'SELECT tokens_valid_from FROM users')).not.toEqual([null])
    }))

  test('to another profile ends all sessions, also those since', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await logIn(project, 'alice', 'old')
      const takeBack = project.remember()
      await project.to('complete-b')
      takeBack()
      await logIn(project, 'alice', 'new')
      await project.to('complete-b')
      expect(await sessions(project)).toEqual([])
    }))

  test.each(['complete-a', 'complete-b', 'basic-a'] as const)(
    'can be repeated in a project of an older version in %s',
    (state) =>
      living(
        state,
        async (project) => {
          const takeBack = project.remember()
          for (const next of [state, 'none', 'complete-b', 'basic-b'] as const) await project.to(next)
          takeBack()
          for (const next of [state, 'none', 'complete-b', 'basic-b'] as const) await project.to(next)
          expect(await project.generate()).toContain('No schema changes')
        },
        olderTables(freshFiles(state, dialect), dialect),
      ),
  )
})
