import type { Delivery } from '../mail/delivery.ts'

/** How long a mail may lie there before somebody looks: for those of other processes, and those tried before. */
const pollMs = 1_000

/** How long mails that are being sent may take to end when the service stops. Less than server.ts gives to all. */
const stopMs = 5_000

export interface DeliveryJob {
  /** Looks for mails at once. */
  wake(): void
  /** Takes on no more mails, and resolves when those under way have ended: after a few seconds they are broken off. */
  stop(): Promise<void>
}

export interface DeliveryJobOptions {
  delivery: Delivery
  /** How many mails are sent at a time. */
  workers: number
  /** Called when the database does not answer. The job goes on. */
  onError: (error: unknown) => void
}

/** Sends mails until it is stopped. */
export function startMailDelivery({ delivery, workers, onError }: DeliveryJobOptions): DeliveryJob {
  const breakOff = new AbortController()
  let isStopping = false
  let sleepers: (() => void)[] = []

  const wake = () => {
    for (const awake of sleepers) awake()
    sleepers = []
  }

  /** Until somebody wakes the workers, or for as long as a poll takes. */
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
      const found = await delivery.deliverNext(breakOff.signal).catch((error: unknown) => {
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
      const timer = setTimeout(() => breakOff.abort(new Error('The service stops')), stopMs)
      await working
      clearTimeout(timer)
    },
  }
}
