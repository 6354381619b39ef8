/** Timeout of an attempt, in milliseconds. Longer than the timeouts in smtp.ts together. */
const attemptMs = 11 * 60_000

/**
 * Runs one attempt to send a mail. It ends at the timeout or with `stop`, even if the mailer never settles.
 * @param send sends the mail, and is told to give up by its signal
 * @throws the error of `send`, the reason of `stop`, or an error that names the timeout
 */
export function attempt(send: (signal: AbortSignal) => Promise<void>, stop?: AbortSignal): Promise<void> {
  const controller = new AbortController()
  return new Promise<void>((resolve, reject) => {
    const end = (reason: unknown) => {
      reject(reason)
      controller.abort(reason)
    }
    const onStop = () => end(stop?.reason)
    const timer = setTimeout(() => end(new Error('The attempt took too long')), attemptMs)
    stop?.addEventListener('abort', onStop)
    if (stop?.aborted) onStop()
    const sending = async () => send(controller.signal)
    sending()
      .then(resolve, reject)
      .finally(() => {
        clearTimeout(timer)
        stop?.removeEventListener('abort', onStop)
      })
  })
}
