import { expect, onTestFinished, test } from 'vitest'
import { workers } from '../../src/email/workers.ts'
import { password, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { forgotPassword, post } from '../support/flows.ts'
import { createGate } from '../support/mailer.ts'

// An attacker could request emails to their own server, which never answers, until no worker is left for anyone else.
test('emails to a server that never answers do not delay a reset to another domain', async () => {
  const stuck = createGate()
  const half = createGate()
  const all = createGate()
  const delivered = createGate()
  let hanging = 0
  // The verification, and the reset.
  let toAlice = 0
  const mailer = {
    send: async ({ to }: { to: string }) => {
      if (!to.endsWith('@slow.example')) {
        toAlice += 1
        return toAlice === 2 ? delivered.open() : undefined
      }
      hanging += 1
      if (hanging === workers / 2) half.open()
      if (hanging === workers) all.open()
      return stuck.passed
    },
  }
  const app = await createTestApp({}, false, { mailer })
  onTestFinished(stuck.open)
  await app.listen({ host: '127.0.0.1', port: 0 })
  await register(app)
  for (let index = 0; index < 8; index += 1) {
    const email = `mallory${index}@slow.example`
    await post(app, 'register', { email, username: `mallory${index}`, password })
    await forgotPassword(app, email)
  }
  await half.passed
  await forgotPassword(app)

  const first = [delivered.passed.then(() => 'the reset'), all.passed.then(() => 'a hang of all workers')]
  expect(await Promise.race(first)).toBe('the reset')
  expect(hanging).toBe(workers / 2)
})
