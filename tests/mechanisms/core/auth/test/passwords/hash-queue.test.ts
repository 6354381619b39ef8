import { expect, test } from 'vitest'
import { createHashQueue } from '../../src/passwords/credentials.ts'
import { hashPassword, verifyHash } from '../../src/passwords/hashes.ts'
import { password, register, tryLogIn } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { expectProblem } from '../support/problem.ts'

/** Work that runs until the test ends it. */
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

test('the queue limits how many hashes run and how many wait, and refuses the rest', async () => {
  const queue = createHashQueue(2, 3, true)
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

test('a hash that fails frees its place in the queue', async () => {
  const queue = createHashQueue(1, 1, true)
  await expect(queue(() => Promise.reject(new Error('failed')))).rejects.toThrow('failed')
  expect(await queue(async () => 'done')).toBe('done')
})

test('a login is refused with Retry-After while the queue is full, and does not count as a failure', async () => {
  const { work, finish, running } = openEndedWork()
  let isHeld = false
  const hash: typeof hashPassword = async (...args) => {
    if (isHeld) await work()
    return hashPassword(...args)
  }
  const settings = { HASH_CONCURRENCY: '1', HASH_QUEUE: '7' }
  const app = await createTestApp(settings, false, { hashing: { hash, verify: verifyHash } })
  await register(app)
  isHeld = true
  const others: Promise<string>[] = []
  for (let number = 0; number < 8; number += 1) {
    others.push(app.ctx.credentials.hash(password))
    await turn()
  }
  expect(running()).toBe(1)
  const refusal = await tryLogIn(app, 'alice', 'Wrong-Horse-7')
  expectProblem(refusal, 'unavailable')
  expect(refusal.headers['retry-after']).toBe('2')
  finish()
  await Promise.all(others)
  for (let time = 0; time < 5; time += 1)
    expectProblem(await tryLogIn(app, 'alice', 'Wrong-Horse-7'), 'invalid_credentials')
  expectProblem(await tryLogIn(app, 'alice', password), 'too_many_requests')
})

test('the counts are those of the moment', async () => {
  const queue = createHashQueue(1, 2, false)
  const first = queue(async () => {
    await turn()
    return queue.counts()
  })
  const second = queue(async () => queue.counts())
  expect(queue.counts()).toEqual({ running: 1, waiting: 1 })
  expect(await first).toEqual({ running: 1, waiting: 1 })
  expect(await second).toEqual({ running: 1, waiting: 0 })
  expect(queue.counts()).toEqual({ running: 0, waiting: 0 })
})
