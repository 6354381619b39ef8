import Fastify from 'fastify'
import { expect, onTestFinished, test, vi } from 'vitest'
import { runEvery } from '../../src/plugins/jobs.ts'

/** Starts a service with a job that runs every second. */
async function start(run: (stop: AbortSignal) => Promise<void>) {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'Date'] })
  const lines: string[] = []
  const app = Fastify({ logger: { level: 'error', stream: { write: (line) => void lines.push(line) } } })
  onTestFinished(async () => {
    const closed = app.close()
    await vi.advanceTimersByTimeAsync(5_000)
    await closed
    vi.useRealTimers()
  })
  runEvery(app, 1_000, 'job', run)
  await app.listen({ host: '127.0.0.1', port: 0 })
  return { app, lines }
}

const work = (ms: number) => new Promise<void>((resolve) => void setTimeout(resolve, ms))

// If a beat began earlier or later after more work, its time would tell how many of the addresses have an account.
test('the beat does not depend on how long the work takes', async () => {
  const beats: number[] = []
  await start(async () => {
    beats.push(Date.now())
    await work(beats.length * 300)
  })
  await vi.advanceTimersByTimeAsync(4_000)
  const [first = 0] = beats
  expect(beats.slice(0, 3).map((beat) => beat - first)).toEqual([0, 1_000, 2_000])
})

test('work that takes longer than a beat does not run twice at a time', async () => {
  let [running, most] = [0, 0]
  await start(async () => {
    running += 1
    most = Math.max(most, running)
    await work(2_500)
    running -= 1
  })
  await vi.advanceTimersByTimeAsync(12_000)
  expect(most).toBe(1)
})

// Nothing else handles a rejection of a timer: it would end the process.
test('a failure is logged, and the job continues', async () => {
  const { lines } = await start(() => Promise.reject(new Error('server stopped')))
  await vi.advanceTimersByTimeAsync(3_000)
  expect(lines.map((line) => JSON.parse(line))).toEqual(
    Array(3).fill(expect.objectContaining({ err: expect.anything(), msg: 'job failed' })),
  )
})

test('a service that stops waits for the current run, and starts no other', async () => {
  let end = () => {}
  const signals: AbortSignal[] = []
  const { app } = await start((signal) => {
    signals.push(signal)
    return new Promise((resolve) => {
      end = resolve
    })
  })
  await vi.advanceTimersByTimeAsync(1_000)
  let isClosed = false
  const closed = app.close().then(() => {
    isClosed = true
  })
  await vi.waitFor(() => expect(signals[0]?.aborted).toBe(true))
  await vi.advanceTimersByTimeAsync(5_000)
  expect({ runs: signals.length, isClosed }).toEqual({ runs: 1, isClosed: false })
  end()
  await closed
})
