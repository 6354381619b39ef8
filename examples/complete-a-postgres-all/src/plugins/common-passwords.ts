import fp from 'fastify-plugin'

/** Routes that take a new password document the error. The hook of error-handler.ts, which comes later, reads it. */
export default fp(async (app) => {
  app.addHook('onRoute', ({ schema }) => {
    if (schema?.problems?.includes('weak_password'))
      schema.problems = [...schema.problems, 'password_too_common']
  })
})
