import { expect, onTestFinished, test, vi } from 'vitest'
import type { DeliveryContext } from '../../src/email/delivery.ts'
import type { Mailer } from '../../src/email/smtp.ts'
import { startWorkers, workers } from '../../src/email/workers.ts'
import { createTestApp } from '../support/app.ts'
import { createGate, createTestMailer, queueEmails } from '../support/mailer.ts'

/** Starts workers whose timers run only when the test advances them. Their number of looks at the outbox is counted. */
async function start(mailer: Mailer, count = 0, changed: Partial<DeliveryContext> = {}) {
  const app = await createTestApp({}, false, { mailer })
  await queueEmails(app, count)
  const { delivery } = app.email
  if (!delivery) throw new Error('There is no mailer')
  const looks = { count: 0, onLook: () => {} }
  const db = {
    ...app.db,
    get read() {
      looks.count += 1
      looks.onLook()
      return app.db.read
    },
  }
  const errors: string[] = []
  const log = {
    ...app.log,
    info() {},
    warn() {},
    error: (_entry: unknown, text?: string) => errors.push(text ?? ''),
  }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
  return { ...startWorkers({ ...delivery, db, log, ...changed }), app, errors, looks }
}

/** Waits without a timer. */
async function until(holds: () => boolean) {
  while (!holds()) await new Promise(setImmediate)
}

/** An idle look reads the emails of each priority. */
const readsPerLook = 3

test('due emails are sent without a pause', async () => {
  const mailer = createTestMailer()
  const { stop } = await start(mailer, workers * 2)
  await until(() => mailer.sent.length === workers * 2)
  await stop()
})

test('idle workers look every second, and immediately when woken', async () => {
  const { looks, stop, wake } = await start(createTestMailer())
  const looked = (times: number) => until(() => looks.count >= times * readsPerLook)
  await looked(1)
  vi.advanceTimersByTime(999)
  wake()
  wake()
  await looked(2)
  vi.advanceTimersByTime(1)
  await looked(3)
  await stop()
  vi.advanceTimersByTime(60_000)
  await new Promise(setImmediate)
  expect(looks.count).toBe(3 * readsPerLook)
})

test('an email that is queued during a look is found by another one', async () => {
  const { looks, stop, wake } = await start(createTestMailer())
  looks.onLook = () => {
    looks.onLook = () => {}
    wake()
  }
  await until(() => looks.count === 2 * readsPerLook)
  await stop()
})

test('a database failure is reported, and the workers continue', async () => {
  const { errors, looks, stop } = await start(createTestMailer())
  looks.onLook = () => {
    throw new Error('down')
  }
  for (let failures = 1; failures <= 3; failures += 1) {
    await until(() => errors.length === failures)
    vi.advanceTimersByTime(1_000)
  }
  await stop()
  expect(new Set(errors)).toEqual(new Set(['email delivery failed']))
})

test('a delivery that takes too long when the service stops is aborted', async () => {
  const started = createGate()
  let given: AbortSignal | undefined
  const send = (_message: object, signal: AbortSignal) => {
    given = signal
    started.open()
    return createGate().passed
  }
  const { stop } = await start({ send }, 1)
  await started.passed
  const stopped = stop()
  vi.advanceTimersByTime(4_999)
  expect(given?.aborted).toBe(false)
  vi.advanceTimersByTime(1)
  expect(given?.aborted).toBe(true)
  await stopped
})
