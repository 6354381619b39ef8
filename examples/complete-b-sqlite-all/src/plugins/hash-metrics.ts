import fp from 'fastify-plugin'

/** Adds the queue of password hashes to the metrics. When it is full, logins get 503. */
export default fp(
  async (app) => {
    const { queueCounts } = app.ctx.credentials
    app.gauge('password_hashes_running', 'Password hashes that run', () => queueCounts().running)
    app.gauge(
      'password_hashes_waiting',
      'Password hashes that wait in the queue',
      () => queueCounts().waiting,
    )
  },
  { dependencies: ['metrics'] },
)
