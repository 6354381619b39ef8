import { describe, expect, test } from 'vitest'
import { EXPIRES, START, serviceOn } from './service.ts'

describe.each(['sqlite', 'postgres'] as const)('%s: profile A and B', (dialect) => {
  const { at, living, column, run, register, logIn, sessions, mail, redeemable } = serviceOn(dialect)

  test.each([
    ['complete-a', 'complete-b'],
    ['complete-b', 'complete-a'],
  ] as const)('from %s to %s: sessions, links and codes end for good, users stay', (one, other) =>
    living(one, async (project) => {
      await register(project, 'alice')
      const issue = async (text: string) => {
        await logIn(project, 'alice', `session ${text}`)
        await mail(project, 'alice', 'verification', `verification ${text}`)
        await mail(project, 'alice', 'reset', `reset ${text}`)
      }
      await issue('1')
      for (const state of [other, one, other]) {
        await project.to(state)
        expect([await sessions(project), await redeemable(project)], state).toEqual([[], []])
        await issue(state)
        expect([await sessions(project), await redeemable(project)], state).toEqual([
          [`session ${state}`],
          [`reset reset ${state}`, `verification verification ${state}`],
        ])
      }
      expect(await column(project, 'SELECT hashed_password FROM users')).toEqual(['hash of alice'])
    }),
  )

  test('no session id is assigned twice', () =>
    living('complete-b', async (project) => {
      await register(project, 'alice')
      for (const token of ['one', 'two', 'three']) await logIn(project, 'alice', token)
      await project.to('complete-a')
      expect(await logIn(project, 'alice', 'four')).toBe(4)
      await project.to('complete-b')
      expect(await logIn(project, 'alice', 'five')).toBe(5)
      for (const state of ['basic-a', 'complete-a'] as const) await project.to(state)
      expect(await logIn(project, 'alice', 'six')).toBe(6)
    }))

  test('the first session has id 1 if the former profile had no sessions', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await project.to('complete-b')
      expect(await logIn(project, 'alice', 'one')).toBe(1)
      await project.to('complete-a')
      expect(await logIn(project, 'alice', 'two')).toBe(2)
    }))

  test('a row that an old instance writes after the switch never becomes a session', () =>
    living('complete-b', async (project) => {
      await register(project, 'alice')
      await logIn(project, 'alice', 'one')
      await project.to('complete-a')
      await run(
        project,
        `INSERT INTO refresh_tokens (user_id, token, expires_at, created_at) VALUES (1, 'late', ${at(EXPIRES)}, ${at(START)})`,
      )
      await project.to('complete-b')
      expect(await sessions(project)).toEqual([])
    }))

  test("the owner's token type stays in its table", () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await run(
        project,
        `INSERT INTO tokens (user_id, token, token_type, expires_at, created_at) VALUES (1, 'x', 'invitation', ${at(EXPIRES)}, ${at(START)})`,
      )
      await logIn(project, 'alice', 'session')
      for (const state of ['complete-b', 'complete-a'] as const) await project.to(state)
      expect(await column(project, 'SELECT token_type FROM tokens')).toEqual(['invitation'])
    }))

  test.each([
    [['basic-a', 'basic-b', 'complete-b']],
    [['none', 'complete-b', 'complete-a']],
    [['basic-b', 'none', 'complete-b', 'complete-a']],
    [['basic-b', 'complete-a']],
  ] as const)('sessions also end if the profile changes in mode basic or through mode none: %s', (path) =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await logIn(project, 'alice', 'session')
      await mail(project, 'alice', 'reset', 'link')
      for (const state of path) await project.to(state)
      expect([await sessions(project), await redeemable(project)]).toEqual([[], []])
    }),
  )

  test('in mode basic, access tokens from before the switch stay refused after a switch back', () =>
    living('basic-a', async (project) => {
      await register(project, 'alice')
      await project.to('basic-b')
      const [first] = await column(project, 'SELECT tokens_valid_from FROM users')
      expect(Number(first)).toBeGreaterThan(START)
      await project.to('basic-a')
      const [second] = await column(project, 'SELECT tokens_valid_from FROM users')
      expect(Number(second)).toBeGreaterThanOrEqual(Number(first))
    }))

  test('waiting emails with a link or code are given up, all others are sent', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      const kinds = ['verification', 'reset', 'email_change', 'undo', undefined]
      for (const [index, kind] of kinds.entries())
        await run(
          project,
          `INSERT INTO outbox (message_id, user_id, recipient, subject, template, kind, created_at, next_attempt_at)
           VALUES ('${index}', 1, 'alice@example.com', 's', 'order_confirmed', ${kind ? `'${kind}'` : 'NULL'}, ${at(START)}, ${at(START)})`,
        )
      await run(
        project,
        `INSERT INTO outbox (message_id, recipient, subject, template, kind, created_at, next_attempt_at, sent_at)
         VALUES ('sent', 'alice@example.com', 's', 'reset', 'reset', ${at(START)}, ${at(START)}, ${at(START)})`,
      )
      await project.to('complete-b')
      const left = 'SELECT message_id FROM outbox WHERE failed_at IS NULL ORDER BY id'
      expect(await column(project, left)).toEqual([3, 4, 'sent'])
      const [givenUpAt] = await column(project, "SELECT failed_at FROM outbox WHERE message_id = '0'")
      expect(Number(givenUpAt)).toBeGreaterThan(START)
    }))

  test('updated_at is kept, or set to created_at for rows of profile A', () =>
    living('basic-b', async (project) => {
      await register(project, 'alice')
      await run(project, `UPDATE users SET updated_at = ${at(START + 7)}`)
      await project.to('basic-a')
      await register(project, 'bob')
      await project.to('basic-b')
      expect(await column(project, 'SELECT updated_at FROM users ORDER BY id')).toEqual([START + 7, START])
    }))
})
