import { expect, test } from 'vitest'
import { createTestApp } from '../support/app.ts'

test('no job uses the database before the migrations are applied', async () => {
  let finish = () => {}
  const migrated = new Promise<void>((resolve) => {
    finish = resolve
  })
  let isUsed = false
  let use = () => {}
  const used = new Promise<void>((resolve) => {
    use = resolve
  })
  const app = await createTestApp({}, false, { mailer: { send: async () => {} }, migrated })
  const { read } = app.db
  Object.defineProperty(app.db, 'read', {
    get: () => {
      isUsed = true
      use()
      return read
    },
  })
  await app.listen({ host: '127.0.0.1', port: 0 })
  expect(await (await fetch(`${app.listeningOrigin}/health/live`)).json()).toEqual({ status: 'ok' })
  expect(isUsed).toBe(false)
  finish()
  await used
})
