import type { Delivery } from '../mail/delivery.ts'

/** How many attempts run at a time, besides those to slow servers. */
export const mailWorkers = 4

/** An attempt that takes longer, in milliseconds, gives its place to another one. */
const patienceMs = 1_000

/** How often to check for due mails, in milliseconds: retries, and mails queued by other processes. */
const pollMs = 1_000

/** How long current attempts may take when the service stops, in milliseconds. Less than the limit in start.ts. */
const stopMs = 5_000

export interface DeliveryJob {
  /** Checks for mails immediately. */
  wake(): void
  /** Starts no more attempts and resolves when the current ones have ended. Aborts them after a few seconds. */
  stop(): Promise<void>
}

interface DeliveryJobOptions {
  delivery: Delivery
  workers: number
  /** Maximum number of concurrent attempts, with those to slow servers. */
  maxAttempts: number
  /** Called if the database fails. The job continues. */
  onError: (error: unknown) => void
}

/** Sends mails until it is stopped. */
export function startMailDelivery({
  delivery,
  workers,
  maxAttempts,
  onError,
}: DeliveryJobOptions): DeliveryJob {
  const controller = new AbortController()
  let isStopping = false
  let sleepers: (() => void)[] = []

  const wake = () => {
    for (const wakeSleeper of sleepers) wakeSleeper()
    sleepers = []
  }

  /** Resolves when `wake` is called, or after `pollMs`. */
  const sleep = () =>
    new Promise<void>((resolve) => {
      const timer = setTimeout(wake, pollMs)
      sleepers.push(() => {
        clearTimeout(timer)
        resolve()
      })
    })

  const attempts = new Set<Promise<boolean>>()

  /** Tries to send a mail. Resolves when that has ended, or when another one may be tried meanwhile. */
  const takeTurn = () =>
    new Promise<boolean>((resolve) => {
      let timer: NodeJS.Timeout | undefined
      const onClaim = () => {
        timer = setInterval(() => {
          // An attacker could occupy all workers with servers that never answer, whose names cost nothing.
          if (attempts.size < maxAttempts) resolve(true)
        }, patienceMs)
      }
      const attempt = delivery
        .deliverNext(controller.signal, onClaim)
        .catch((error: unknown) => {
          onError(error)
          return false
        })
        .finally(() => {
          clearInterval(timer)
          attempts.delete(attempt)
        })
      attempts.add(attempt)
      attempt.then(resolve)
    })

  async function work(): Promise<void> {
    while (!isStopping) {
      const found = await takeTurn()
      if (!found && !isStopping) await sleep()
    }
  }

  const working = Promise.all(Array.from({ length: workers }, work))
  return {
    wake,
    async stop() {
      isStopping = true
      wake()
      const timer = setTimeout(() => controller.abort(new Error('The service is stopping')), stopMs)
      await working
      await Promise.all(attempts)
      clearTimeout(timer)
    },
  }
}
