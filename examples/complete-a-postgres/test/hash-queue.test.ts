import { expect, test } from 'vitest'
import { createHashQueue } from '../src/accounts/hash-queue.ts'
import { password, register, tryLogIn } from './accounts.ts'
import { createTestApp } from './app.ts'
import { expectProblem } from './problem.ts'
import { realHashes } from './settings.ts'

/** Work that goes on until it is told to stop. */
function openEndedWork() {
  let finish = () => {}
  const finished = new Promise<void>((resolve) => {
    finish = resolve
  })
  let running = 0
  const work = async () => {
    running += 1
    await finished
  }
  return { work, finish: () => finish(), running: () => running }
}

const refused = { problem: { code: 'unavailable' }, details: { retryAfter: 2 } }
const turn = () => new Promise((resolve) => setImmediate(resolve))

test('only so many hashes run at once, only so many wait, and the rest is refused', async () => {
  const queue = createHashQueue(2, 3)
  const { work, finish, running } = openEndedWork()
  const accepted: Promise<void>[] = []
  for (let number = 0; number < 5; number += 1) {
    accepted.push(queue(work))
    await turn()
  }
  expect(running()).toBe(2)
  await expect(queue(work)).rejects.toMatchObject(refused)
  finish()
  await Promise.all(accepted)
  expect(running()).toBe(5)
  await queue(work)
})

test('a hash that fails makes room for the next', async () => {
  const queue = createHashQueue(1, 1)
  await expect(queue(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await queue(async () => 'done')).toBe('done')
})

test('while the queue is full, a login is told to come back, and does not count as a failure', async () => {
  const app = await createTestApp({ ...realHashes, HASH_CONCURRENCY: '1', HASH_QUEUE: '7' })
  await register(app)
  const others = Array.from({ length: 8 }, () => app.accounts.credentials.hash(password))
  const refusal = await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  expectProblem(refusal, 'unavailable')
  expect(refusal.headers['retry-after']).toBe('2')
  await Promise.all(others)
  for (let time = 0; time < 5; time += 1)
    expectProblem(await tryLogIn(app, 'alice', 'Wrong-Horse-7'), 'invalid_credentials')
  expectProblem(await tryLogIn(app, 'alice', password), 'too_many_requests')
})
