import fp from 'fastify-plugin'
import { type AccessTokens, createAccessTokens } from '../accounts/access-tokens.ts'
import { type Credentials, createCredentials } from '../accounts/credentials.ts'
import { createLoginFailures, type LoginFailures } from '../accounts/login-failures.ts'
import { createPasswordCheck, type PasswordCheck } from '../accounts/password-check.ts'
import { createUserQueries, type UserQueries } from '../accounts/users.ts'
import { createAddressLimit } from '../address-limit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    accounts: {
      users: UserQueries
      credentials: Credentials
      checkPassword: PasswordCheck
      loginFailures: LoginFailures
      accessTokens: AccessTokens
    }
  }
}

/** Puts the account rules together, once for the app. */
export default fp(
  async (app) => {
    const { config, db, now } = app
    const credentials = await createCredentials(config.credentials)
    const loginFailures = createLoginFailures(db, now, config.rateLimits.loginFailures)
    app.decorate('accounts', {
      users: createUserQueries(db),
      credentials,
      loginFailures,
      checkPassword: createPasswordCheck(
        credentials,
        config.rateLimits.enabled
          ? {
              byAccount: loginFailures,
              byAddress: createAddressLimit({ max: config.rateLimits.loginFailuresPerAddress, now }),
            }
          : undefined,
      ),
      accessTokens: createAccessTokens(config.accessTokens, now),
    })
  },
  { name: 'accounts' },
)
