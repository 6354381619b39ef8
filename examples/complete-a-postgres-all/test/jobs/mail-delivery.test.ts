import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startMailDelivery } from '../../src/jobs/mail-delivery.ts'
import type { Delivery } from '../../src/mail/delivery.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Starts a job with one worker. */
const start = (deliverNext: Delivery['deliverNext']) => {
  const errors: unknown[] = []
  const job = startMailDelivery({
    delivery: { deliverNext },
    workers: 1,
    maxAttempts: 3,
    onError: (error) => void errors.push(error),
  })
  return { ...job, errors }
}

test('due mails are sent without a pause', async () => {
  let left = 3
  const job = start(async () => left-- > 0)
  await vi.advanceTimersByTimeAsync(0)
  expect(left).toBe(-1)
  await job.stop()
})

test('an idle worker polls every second, and immediately when woken', async () => {
  let looks = 0
  const job = start(async () => {
    looks += 1
    return false
  })
  await vi.advanceTimersByTimeAsync(0)
  expect(looks).toBe(1)
  await vi.advanceTimersByTimeAsync(999)
  expect(looks).toBe(1)
  await vi.advanceTimersByTimeAsync(1)
  expect(looks).toBe(2)
  job.wake()
  await vi.advanceTimersByTimeAsync(0)
  expect(looks).toBe(3)
  await job.stop()
  await vi.advanceTimersByTimeAsync(60_000)
  expect(looks).toBe(3)
})

test('an attempt that takes longer than a second gives its place to another one, up to a maximum', async () => {
  let attempts = 0
  const ends: (() => void)[] = []
  const job = start((_stop, onClaim) => {
    attempts += 1
    onClaim?.()
    return new Promise((resolve) => ends.push(() => resolve(false)))
  })
  for (const expected of [1, 2, 3, 3, 3]) {
    expect(attempts).toBe(expected)
    await vi.advanceTimersByTimeAsync(1_000)
  }
  ends[0]?.()
  await vi.advanceTimersByTimeAsync(1_000)
  expect(attempts).toBe(4)
  for (const end of ends) end()
  await job.stop()
})

test('a search for mails that takes long keeps its place: the database may be down', async () => {
  let searches = 0
  const found = new Promise<boolean>((resolve) => setTimeout(resolve, 30_000, false))
  const job = start(() => {
    searches += 1
    return found
  })
  await vi.advanceTimersByTimeAsync(30_000)
  expect(searches).toBe(1)
  await job.stop()
})

test('a database failure is reported, and the job continues', async () => {
  let looks = 0
  const job = start(async () => {
    looks += 1
    throw new Error('down')
  })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(looks).toBe(4)
  expect(job.errors).toHaveLength(4)
  await job.stop()
})

test('an attempt that takes too long when the service stops is aborted', async () => {
  const job = start((stop) => new Promise((resolve) => stop?.addEventListener('abort', () => resolve(true))))
  let isStopped = false
  const stopped = job.stop().then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(4_999)
  expect(isStopped).toBe(false)
  await vi.advanceTimersByTimeAsync(1)
  await stopped
})
