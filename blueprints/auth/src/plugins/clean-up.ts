import fp from 'fastify-plugin'

const intervalMs = 10 * 60_000

/** Deletes what has expired, so that the tables do not grow with every failed login. */
export default fp(
  async (app) => {
    const timer = setInterval(() => {
      app.accounts.loginFailures
        .purge()
        .catch((error: unknown) => app.log.error({ err: error }, 'clean-up failed'))
    }, intervalMs)
    // The timer alone does not keep the process alive.
    timer.unref()
    app.addHook('onClose', async () => clearInterval(timer))
  },
  { dependencies: ['accounts'] },
)
