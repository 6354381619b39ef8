import fp from 'fastify-plugin'

/** Adds the queue of password hashes to the metrics. When it is full, logins get 503. */
export default fp(
  async (app) => {
    const { counts } = app.ctx.credentials.queue
    app.gauge('password_hashes_running', 'Password hashes that run', () => counts().running)
    app.gauge('password_hashes_waiting', 'Password hashes that wait in the queue', () => counts().waiting)
  },
  { dependencies: ['metrics'] },
)
