import fp from 'fastify-plugin'
import { type Access, createAccess } from '../accounts/access.ts'
import { type AccessTokens, createAccessTokens } from '../accounts/access-tokens.ts'
import { type Credentials, createCredentials } from '../accounts/credentials.ts'
import { createEmailChange } from '../accounts/email-change.ts'
import { createPasswordCheck, type PasswordCheck } from '../accounts/password-check.ts'
import { createRegistration } from '../accounts/registration.ts'
import { createUserQueries, type UserQueries } from '../accounts/users.ts'

declare module 'fastify' {
  interface FastifyInstance {
    accounts: {
      access: Access
      accessTokens: AccessTokens
      changeEmail: ReturnType<typeof createEmailChange>
      checkPassword: PasswordCheck
      credentials: Credentials
      register: ReturnType<typeof createRegistration>
      users: UserQueries
    }
  }
}

/** Puts the rules of accounts together, once for the app. */
export default fp(
  async (app) => {
    const { config, db, now } = app
    const accessTokens = createAccessTokens(config.accessTokens, now)
    const credentials = await createCredentials(config.credentials)
    const users = createUserQueries(db)
    app.decorate('accounts', {
      access: createAccess({ accessTokens, config, users }),
      accessTokens,
      changeEmail: createEmailChange({ db }),
      checkPassword: createPasswordCheck({
        addressLimit: app.addressLimit('login', config.rateLimits.loginFailuresPerAddress),
        config,
        credentials,
        db,
        now,
      }),
      credentials,
      register: createRegistration({ db, now }),
      users,
    })
  },
  { name: 'accounts', dependencies: ['address-limits'] },
)
