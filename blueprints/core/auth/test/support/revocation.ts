import { setImmediate } from 'node:timers/promises'
import { expect } from 'vitest'
import { getMe, logIn, register } from './accounts.ts'
import { createTestApp, type TestApp } from './app.ts'

interface LoggedIn {
  id: number
  username: string
  token: string
}

const names = ['alice', 'bob', 'carol', 'dave']

/**
 * Two instances on one database answer requests of four users at once, while the access of one after the other is
 * ended. Every request that is sent after `end` has resolved must be refused, and each answer be about its own user.
 */
export async function expectExactRevocation(
  end: (app: TestApp, user: LoggedIn) => Promise<unknown>,
): Promise<void> {
  const first = await createTestApp({ RATE_LIMIT_ENABLED: 'false' })
  const second = await createTestApp({ RATE_LIMIT_ENABLED: 'false' }, false, { db: first.db })
  const users: LoggedIn[] = []
  for (const username of names) {
    const { id } = await register(first, username)
    users.push({ id, username, token: await logIn(first, username) })
  }
  const ending = new Set<LoggedIn>()
  const ended = new Set<LoggedIn>()
  const faults: string[] = []
  let answers = 0
  let isDone = false

  const keepAsking = async (app: TestApp, user: LoggedIn) => {
    while (!isDone) {
      const isLate = ended.has(user)
      const { statusCode, body } = await getMe(app, user.token)
      answers += 1
      // SQLite answers without leaving the turn of the event loop: the requests would wait for no one, for ever.
      await setImmediate()
      const isRight = statusCode === 200 && JSON.parse(body).username === user.username
      if (isLate && statusCode !== 401) faults.push(`${user.username}, after the end: ${statusCode} ${body}`)
      if (!ending.has(user) && !isRight)
        faults.push(`${user.username}, before the end: ${statusCode} ${body}`)
    }
  }
  const load = [1, 2].flatMap(() =>
    [first, second].flatMap((app) => users.map((user) => keepAsking(app, user))),
  )
  /** Until each of the requests that are in flight now has been answered. */
  const untilAnswered = async () => {
    const target = answers + 2 * load.length
    while (answers < target) await setImmediate()
  }
  for (const user of users) {
    await untilAnswered()
    ending.add(user)
    await end(first, user)
    ended.add(user)
  }
  await untilAnswered()
  isDone = true
  await Promise.all(load)
  expect(faults).toEqual([])
}
