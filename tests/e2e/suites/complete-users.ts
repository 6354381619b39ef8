import { expect, test } from 'vitest'
import { succeed } from '../../support/command.ts'
import type { Report } from '../../support/create-project.ts'
import { devScript } from '../../support/dev.js'
import { withStandingClock } from '../harness/clock.ts'
import { newDatabase } from '../harness/database.ts'
import { startService } from '../harness/service.ts'
import { ME, newUser, REGISTER } from './accounts.ts'
import { auth, logIn, NEW_PASSWORD, newSession, refresh, tokensIn } from './complete-context.ts'
import { keptMail } from './kept-mails.ts'

/** What the limits and the user command of mode complete do to a user. The mailbox shows the emails. */
export function completeUsersSuite(project: () => Report): void {
  const cwd = () => project().directory
  const freshDatabase = async () => (await newDatabase(project())).env

  test('a password reset unlocks an account locked by failed logins', async () => {
    const command = withStandingClock(devScript(cwd()))
    const service = await startService({ cwd: cwd(), env: await freshDatabase(), command })
    await service.post(REGISTER, newUser('locked'))
    const names = ['locked', 'locked@example.com']
    for (const name of names) {
      for (let n = 0; n < 5; n += 1) await logIn(service, name, 'Wrong-Horse-7')
      expect((await logIn(service, name)).status).toBe(429)
    }
    await service.post(auth('forgot-password'), { email: 'locked@example.com' })
    const { token } = await keptMail(service, 'reset', 'locked@example.com')
    const body = { token, new_password: NEW_PASSWORD }
    expect((await service.post(auth('reset-password'), body)).status).toBe(200)
    for (const name of names) expect((await logIn(service, name, NEW_PASSWORD)).status).toBe(200)
    await service.stop()
  })

  test('npm run user: verify marks a user as verified; deactivate ends the sessions', async () => {
    const env = await freshDatabase()
    const service = await startService({ cwd: cwd(), env })
    const user = (...args: string[]) => succeed('npm', ['run', 'user', '--', ...args], { cwd: cwd(), env })
    const tokens = await newSession(service, 'unreachable')
    expect((await service.get(ME, { token: tokens.access })).body.is_verified).toBe(false)
    await user('verify', 'unreachable')
    expect((await service.get(ME, { token: tokens.access })).body.is_verified).toBe(true)

    await user('deactivate', 'unreachable')
    expect((await refresh(service, tokens.refresh)).status).toBe(401)
    await user('activate', 'unreachable')
    expect((await refresh(service, tokens.refresh)).status).toBe(401)
    tokensIn(await logIn(service, 'unreachable'))
    await service.stop()
  })
}
