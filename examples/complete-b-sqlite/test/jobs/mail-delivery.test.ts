import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startMailDelivery } from '../../src/jobs/mail-delivery.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Starts a job with one worker. `deliverNext` gets the signal and returns whether a mail was due. */
const start = (deliverNext: (stop: AbortSignal | undefined) => Promise<boolean>) => {
  const errors: unknown[] = []
  const job = startMailDelivery({
    delivery: { deliverNext },
    workers: 1,
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
