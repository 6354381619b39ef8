import type { Delivery } from '../mail/delivery.ts'

/** How often to check for due mails, in milliseconds: retries, and mails queued by other processes. */
const pollMs = 1_000

/** How long current attempts may take when the service stops, in milliseconds. Less than the limit in server.ts. */
const stopMs = 5_000

export interface DeliveryJob {
  /** Checks for mails immediately. */
  wake(): void
  /** Starts no more attempts and resolves when the current ones have ended. Aborts them after a few seconds. */
  stop(): Promise<void>
}

interface DeliveryJobOptions {
  delivery: Delivery
  /** Maximum number of concurrent attempts. */
  workers: number
  /** Called if the database fails. The job continues. */
  onError: (error: unknown) => void
}

/** Sends mails until it is stopped. */
export function startMailDelivery({ delivery, workers, onError }: DeliveryJobOptions): DeliveryJob {
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

  async function work(): Promise<void> {
    while (!isStopping) {
      const found = await delivery.deliverNext(controller.signal).catch((error: unknown) => {
        onError(error)
        return false
      })
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
      clearTimeout(timer)
    },
  }
}
