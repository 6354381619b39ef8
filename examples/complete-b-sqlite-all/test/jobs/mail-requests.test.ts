import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { startMailRequests } from '../../src/jobs/mail-requests.ts'
import { createGate } from '../support/mailer.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

/** Starts a job. `handleWaiting` gets the signal. */
const start = (handleWaiting: (stop?: AbortSignal) => Promise<void>) => {
  const errors: unknown[] = []
  const stop = startMailRequests({
    mailRequests: { handleWaiting },
    onError: (error) => void errors.push(error),
  })
  return { stop, errors }
}

// If a beat began earlier or later after more work, its time would tell how many of the addresses have an account.
test('the beat does not depend on how long the work takes', async () => {
  const beats: number[] = []
  const startedAt = Date.now()
  const { stop } = start(async () => {
    beats.push(Date.now() - startedAt)
    await new Promise((resolve) => setTimeout(resolve, beats.length * 300))
  })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(beats).toEqual([1_000, 2_000, 3_000])
  const stopped = stop()
  await vi.advanceTimersByTimeAsync(1_000)
  await stopped
})

test('work that takes longer than a beat does not run twice at a time', async () => {
  let running = 0
  let most = 0
  const { stop } = start(async () => {
    running += 1
    most = Math.max(most, running)
    await new Promise((resolve) => setTimeout(resolve, 2_500))
    running -= 1
  })
  await vi.advanceTimersByTimeAsync(9_500)
  expect(most).toBe(1)
  const stopped = stop()
  await vi.advanceTimersByTimeAsync(3_000)
  await stopped
})

test('a database failure is reported, and the job continues', async () => {
  let beats = 0
  const { stop, errors } = start(async () => {
    beats += 1
    throw new Error('down')
  })
  await vi.advanceTimersByTimeAsync(3_000)
  expect(beats).toBe(3)
  expect(errors).toHaveLength(3)
  await stop()
})

test('stopping waits for the current request, and no beat follows', async () => {
  const gate = createGate()
  let beats = 0
  let signal: AbortSignal | undefined
  const { stop } = start((given) => {
    beats += 1
    signal = given
    return gate.passed
  })
  await vi.advanceTimersByTimeAsync(1_000)
  let isStopped = false
  const stopped = stop().then(() => {
    isStopped = true
  })
  await vi.advanceTimersByTimeAsync(5_000)
  expect({ beats, isStopped, isAborted: signal?.aborted }).toEqual({
    beats: 1,
    isStopped: false,
    isAborted: true,
  })
  gate.open()
  await stopped
})
