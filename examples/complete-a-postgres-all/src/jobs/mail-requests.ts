import type { MailRequests } from '../accounts/request-mail.ts'

/** How often waiting requests are handled, in milliseconds. */
const beatMs = 1_000

interface MailRequestJobOptions {
  mailRequests: Pick<MailRequests, 'handleWaiting'>
  /** Called if a request fails. It waits for the next beat. */
  onError: (error: unknown) => void
}

/**
 * Handles requests for mails on a beat of its own. Started by a request or a pause after the last one, the work would
 * show in the response times of requests that follow, and reveal which addresses have an account.
 * @returns a function that stops it and resolves when the current request is handled
 */
export function startMailRequests({ mailRequests, onError }: MailRequestJobOptions): () => Promise<void> {
  const controller = new AbortController()
  let running: Promise<void> | undefined
  const timer = setInterval(() => {
    running ??= mailRequests
      .handleWaiting(controller.signal)
      .catch(onError)
      .finally(() => {
        running = undefined
      })
  }, beatMs)
  return async () => {
    clearInterval(timer)
    controller.abort()
    await running
  }
}
