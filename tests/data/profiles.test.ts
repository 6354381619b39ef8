import { describe, expect, test } from 'vitest'
import { EXPIRES, START, serviceOn } from './service.ts'

describe.each(['sqlite', 'postgres'] as const)('%s: profile A and B', (dialect) => {
  const { at, living, rows, column, run, register, logIn, sessions, mail, redeemable } = serviceOn(dialect)

  test('sessions keep their ids and times, and a session ended in one profile is ended in the other', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await register(project, 'bob')
      const first = await logIn(project, 'alice', 'alice-1')
      await logIn(project, 'bob', 'bob-1')
      await run(project, `UPDATE tokens SET rotated_at = ${at(START + 5)} WHERE token = 'alice-1'`)

      await project.to('complete-b')
      expect(await sessions(project)).toEqual(['alice-1', 'bob-1'])
      expect(await rows(project, `SELECT * FROM refresh_tokens WHERE id = ${first}`)).toEqual([
        {
          ...{ id: first, user_id: 1, token: 'alice-1', expires_at: EXPIRES, created_at: START },
          ...{ rotated_at: START + 5, last_used_at: START + 5, is_revoked: 0 },
          ...{ device_name: null, device_type: null, ip_address: null, user_agent: null },
        },
      ])
      expect(await rows(project, 'SELECT * FROM tokens')).toEqual([])
      await logIn(project, 'alice', 'alice-2')
      await run(project, "UPDATE refresh_tokens SET is_revoked = true WHERE token = 'bob-1'")

      await project.to('complete-a')
      expect(await sessions(project)).toEqual(['alice-1', 'alice-2'])
      const [row] = await rows(project, "SELECT * FROM tokens WHERE token = 'alice-1'")
      expect(row).toEqual({
        ...{ id: first, user_id: 1, token: 'alice-1', token_type: 'refresh', expires_at: EXPIRES },
        ...{ created_at: START, rotated_at: START + 5 },
      })
      // Profile A deletes the row of an ended session. The other session is refreshed.
      await run(project, "DELETE FROM tokens WHERE token = 'alice-1'")
      await run(
        project,
        `UPDATE tokens SET token = 'alice-2b', expires_at = ${at(EXPIRES + 9)}, rotated_at = ${at(START + 9)} WHERE token = 'alice-2'`,
      )
      await logIn(project, 'bob', 'bob-2')

      await project.to('complete-b')
      expect(await sessions(project)).toEqual(['alice-2b', 'bob-2'])
      const times = 'expires_at, rotated_at, last_used_at'
      expect(
        await rows(project, `SELECT device_name, ${times} FROM refresh_tokens WHERE token = 'alice-2b'`),
      ).toEqual([
        {
          ...{ device_name: 'Laptop of alice', expires_at: EXPIRES + 9 },
          ...{ rotated_at: START + 9, last_used_at: START + 9 },
        },
      ])
      expect(await column(project, 'SELECT count(*) FROM refresh_tokens')).toEqual([4])
    }))

  test('no session id is assigned twice', () =>
    living('complete-b', async (project) => {
      await register(project, 'alice')
      for (const token of ['one', 'two', 'three']) await logIn(project, 'alice', token)
      await run(project, 'UPDATE refresh_tokens SET is_revoked = true')
      await mail(project, 'alice', 'reset', 'code')
      await project.to('complete-a')
      expect(await column(project, 'SELECT id FROM tokens')).toEqual([4])
      expect(await logIn(project, 'alice', 'five')).toBe(5)
      await run(project, 'DELETE FROM tokens')
      await project.to('complete-b')
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

  test('a row written by an old instance after the switch never becomes a session of another user', () =>
    living('complete-b', async (project) => {
      for (const name of ['alice', 'bob']) await register(project, name)
      await logIn(project, 'alice', 'one')
      await project.to('complete-a')
      const id = await logIn(project, 'alice', 'two')
      await run(
        project,
        `INSERT INTO refresh_tokens (id, user_id, token, expires_at, created_at, device_name)
         VALUES (${id}, 2, 'of bob', ${at(EXPIRES)}, ${at(START + 1)}, 'Phone of bob')`,
      )
      await project.to('complete-b')
      expect(
        await rows(project, `SELECT user_id, token, device_name FROM refresh_tokens WHERE id = ${id}`),
      ).toEqual([{ user_id: 1, token: 'two', device_name: null }])
      await run(
        project,
        `INSERT INTO tokens (id, user_id, token, token_type, expires_at, created_at)
         VALUES (${id}, 2, 'of bob', 'refresh', ${at(EXPIRES)}, ${at(START)})`,
      )
      await project.to('complete-a')
      expect(await rows(project, 'SELECT id, user_id, token FROM tokens ORDER BY id')).toEqual([
        { id: 1, user_id: 1, token: 'one' },
        { id, user_id: 1, token: 'two' },
      ])
    }))

  test('a mailed token or code works once, in either profile', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await mail(project, 'alice', 'verification', 'link-1')
      await mail(project, 'alice', 'reset', 'link-2')
      await project.to('complete-b')
      expect(await redeemable(project)).toEqual(['reset link-2', 'verification link-1'])
      await mail(project, 'alice', 'reset', 'code-1')
      await run(project, "UPDATE verification_codes SET is_used = true WHERE code = 'link-2'")
      await project.to('complete-a')
      expect(await redeemable(project)).toEqual(['reset code-1', 'verification link-1'])
      await run(project, "DELETE FROM tokens WHERE token = 'code-1'")
      await project.to('complete-b')
      expect(await redeemable(project)).toEqual(['verification link-1'])
      await run(project, "UPDATE verification_codes SET is_used = true WHERE code = 'link-1'")
      await project.to('complete-a')
      expect(await redeemable(project)).toEqual([])
    }))

  test("the owner's token type stays in its table", () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await run(
        project,
        `INSERT INTO tokens (user_id, token, token_type, expires_at, created_at) VALUES (1, 'x', 'invitation', ${at(EXPIRES)}, ${at(START)})`,
      )
      await logIn(project, 'alice', 'session')
      await project.to('complete-b')
      await project.to('complete-a')
      expect(await column(project, 'SELECT token_type FROM tokens ORDER BY id')).toEqual([
        'invitation',
        'refresh',
      ])
    }))

  test('sessions are also carried over if the profile changes in mode basic or through mode none', async () => {
    for (const path of [['basic-a', 'basic-b'], ['none'], ['basic-b', 'none']] as const) {
      await living('complete-a', async (project) => {
        await register(project, 'alice')
        await logIn(project, 'alice', 'session')
        for (const state of path) await project.to(state)
        await project.to('complete-b')
        expect(await sessions(project), path.join()).toEqual(['session'])
      })
    }
  })

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
