import { describe, expect, test } from 'vitest'
import { WAITING_MAILS } from '../../src/migrations/notes.ts'
import { EXPIRES, START, serviceOn } from './service.ts'

describe.each(['sqlite', 'postgres'] as const)('%s: mode complete', (dialect) => {
  const { at, living, rows, column, run, register, logIn, sessions, mail, redeemable, verified, endAccess } =
    serviceOn(dialect)
  const undoTokens = `INSERT INTO email_changes (user_id, email, token, expires_at, max_expires_at) SELECT id, 'former@example.com', username, ${at(EXPIRES)}, ${at(EXPIRES)} FROM users`

  test.each([
    ['unverified', []],
    ['verified', ['alice']],
  ] as const)('treats existing users as %s', (existingUsers, expected) =>
    living('basic-a', async (project) => {
      await register(project, 'alice')
      const notes = await project.to('complete-a', { existingUsers })
      expect(notes.join()).toContain(`start as ${existingUsers}`)
      expect(await verified(project)).toEqual(expected)
    }),
  )

  test.each(['complete-a', 'complete-b'] as const)(
    '%s restores verified flags and sessions after mode basic, and voids emailed codes',
    (complete) =>
      living(complete, async (project) => {
        const names = ['alice', 'changed', 'deactivated', 'locked', 'password', 'unverified', 'gone']
        for (const name of names) {
          await register(project, name)
          await logIn(project, name, `session of ${name}`)
          await mail(project, name, 'reset', `code of ${name}`)
        }
        await run(project, "UPDATE users SET is_verified = true WHERE username <> 'unverified'")
        await project.to(complete === 'complete-a' ? 'basic-a' : 'basic-b')

        await run(
          project,
          "UPDATE users SET email = 'other@example.com' WHERE username = 'changed'",
          "UPDATE users SET is_active = false WHERE username = 'deactivated'",
          "UPDATE users SET is_active = false WHERE username = 'locked'",
          "DELETE FROM users WHERE username = 'gone'",
        )
        await endAccess(project, 'deactivated')
        await run(project, "UPDATE users SET is_active = true WHERE username = 'deactivated'")
        await endAccess(project, 'password')
        await register(project, 'new')

        await project.to(complete)
        expect(await verified(project)).toEqual(['alice', 'deactivated', 'locked', 'password'])
        expect(await sessions(project)).toEqual(['alice', 'unverified'].map((name) => `session of ${name}`))
        // No user expects an emailed token any more.
        expect(await redeemable(project)).toEqual([])
        expect(await column(project, 'SELECT kept_email FROM users WHERE kept_email IS NOT NULL')).toEqual([])
      }),
  )

  test.each([
    ['basic-b', [0]],
    ['complete-a', [1]],
  ] as const)('after a switch through %s, %j requests for mails wait', (between, expected) =>
    living('complete-b', async (project) => {
      await run(
        project,
        "INSERT INTO mail_requests (kind, email, created_at) VALUES ('reset', 'alice@example.com', CURRENT_TIMESTAMP)",
      )
      await project.to(between)
      await project.to('complete-b')
      expect(await column(project, 'SELECT count(*) FROM mail_requests')).toEqual(expected)
    }),
  )

  test('the query of the report counts the mails that wait', () =>
    living('complete-a', async (project) => {
      const mail = (id: string, sentAt: string, failedAt: string) =>
        `INSERT INTO outbox (message_id, recipient, subject, template, created_at, next_attempt_at, sent_at, failed_at)
         VALUES ('${id}', 'alice@example.com', 'Hello', 'welcome', ${at(START)}, ${at(START)}, ${sentAt}, ${failedAt})`
      await run(
        project,
        mail('sent', at(START), 'NULL'),
        mail('failed', 'NULL', at(START)),
        mail('waiting', 'NULL', 'NULL'),
      )
      expect(await column(project, WAITING_MAILS)).toEqual([1])
    }))

  // Mode basic records no logins: the clean-up would delete users who have logged in since.
  test('a registration of before mode basic does not expire', () =>
    living('complete-b', async (project) => {
      await register(project, 'alice')
      await run(project, 'UPDATE users SET unclaimed_since = created_at')
      await project.to('basic-b')
      await project.to('complete-b')
      expect(await column(project, 'SELECT unclaimed_since FROM users')).toEqual([null])
    }))

  test('applies --existing-users only to users registered in mode basic', () =>
    living('complete-b', async (project) => {
      for (const name of ['alice', 'bob']) await register(project, name)
      await run(project, "UPDATE users SET is_verified = true WHERE username = 'alice'")
      await project.to('basic-b')
      await run(project, "UPDATE users SET email = 'victim@example.com' WHERE username = 'alice'")
      await register(project, 'carol')
      await project.to('complete-b', { existingUsers: 'verified' })
      expect(await verified(project)).toEqual(['carol'])
    }))

  test.each(['complete-b', 'complete-a'] as const)(
    'a switch to basic ends a request, back in %s too',
    (back) =>
      living('complete-a', async (project) => {
        await register(project, 'alice')
        await run(
          project,
          `UPDATE users SET pending_email = 'new@example.com', pending_email_token = 'hash', pending_email_session = 1, pending_email_expires_at = ${at(EXPIRES)}`,
        )
        await project.to('basic-a')
        await project.to(back)
        expect(
          await rows(
            project,
            'SELECT pending_email, pending_email_token, pending_email_session, pending_email_expires_at FROM users',
          ),
        ).toEqual([
          {
            pending_email: null,
            pending_email_token: null,
            pending_email_session: null,
            pending_email_expires_at: null,
          },
        ])
      }),
  )

  test('a switch of the profile cancels a request, and keeps the tokens that undo a change', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await run(
        project,
        `UPDATE users SET pending_email = 'new@example.com', pending_email_token = 'hash', pending_email_session = 1, pending_email_expires_at = ${at(EXPIRES)}`,
        undoTokens,
      )
      await project.to('complete-b')
      expect(await rows(project, 'SELECT pending_email, pending_email_token FROM users')).toEqual([
        { pending_email: null, pending_email_token: null },
      ])
      expect(await column(project, 'SELECT token FROM email_changes')).toEqual(['alice'])
    }))

  // A token for an address that someone has registered by then is refused when it is used.
  test('tokens that undo a change sleep in mode basic', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await run(project, undoTokens)
      await project.to('basic-a')
      await project.to('complete-b', { existingUsers: 'verified' })
      expect(await column(project, 'SELECT token FROM email_changes')).toEqual(['alice'])
    }))

  test('access tokens issued before the switch are invalid in mode basic', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      const issuedAt = Math.floor(Date.now() / 1000)
      await project.to('basic-a')
      const [validFrom] = await column(project, 'SELECT tokens_valid_from FROM users')
      expect(validFrom).toBeGreaterThan(issuedAt * 1000)
      // Never a whole second, so that it differs from every value that mode basic writes.
      expect(Number(validFrom) % 1000).toBe(999)
    }))

  test('access tokens issued before a switch through mode none are invalid in mode basic', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await project.to('none')
      await project.to('basic-b')
      expect(await column(project, 'SELECT tokens_valid_from FROM users')).not.toEqual([null])
    }))

  test('switching the profile in mode basic or using mode none keeps what is known about users', () =>
    living('complete-b', async (project) => {
      for (const name of ['alice', 'bob', 'carol']) {
        await register(project, name)
        await logIn(project, name, `session of ${name}`)
      }
      await run(project, 'UPDATE users SET is_verified = true')
      await project.to('basic-b')
      await endAccess(project, 'alice')
      await run(project, "UPDATE users SET email = 'victim@example.com' WHERE username = 'bob'")
      for (const state of ['basic-a', 'none', 'basic-b', 'none', 'complete-a'] as const)
        await project.to(state)
      expect(await sessions(project)).toEqual([])
      expect(await verified(project)).toEqual(['alice', 'carol'])
    }))

  test('--existing-users also applies to users of mode basic after mode none', () =>
    living('basic-a', async (project) => {
      await register(project, 'alice')
      await project.to('none')
      await project.to('complete-b', { existingUsers: 'verified' })
      expect(await verified(project)).toEqual(['alice'])
    }))

  test('a second switch to mode basic and back does not restore an older verified address', () =>
    living('complete-a', async (project) => {
      await register(project, 'alice')
      await run(project, 'UPDATE users SET is_verified = true')
      await project.to('basic-a')
      await project.to('complete-a')
      await run(project, "UPDATE users SET is_verified = false, email = 'new@example.com'")
      await project.to('basic-a')
      await run(project, "UPDATE users SET email = 'alice@example.com'")
      await project.to('complete-a')
      expect(await verified(project)).toEqual([])
    }))

  test('a switch to mode none and back keeps users, sessions and notes', () =>
    living('complete-b', async (project) => {
      await register(project, 'alice')
      await run(project, 'UPDATE users SET is_verified = true')
      await logIn(project, 'alice', 'session')
      await mail(project, 'alice', 'reset', 'code')
      await project.to('none')
      await run(project, `INSERT INTO notes (title, body, created_at) VALUES ('a', 'b', ${at(START)})`)
      await project.to('complete-b')
      expect(await sessions(project)).toEqual(['session'])
      expect(await redeemable(project)).toEqual(['reset code'])
      expect(await verified(project)).toEqual(['alice'])
      await project.to('none')
      expect(await column(project, 'SELECT title FROM notes')).toEqual(['a'])
    }))
})
