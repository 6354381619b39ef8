import fp from 'fastify-plugin'
import { type Access, createAccess } from '../access/access.ts'
import { createEmailChange, type EmailChange } from '../accounts/change-email.ts'
import { createLogin, type Login } from '../accounts/login.ts'
import { createRegistration, type Registration } from '../accounts/register.ts'
import type { AppOptions } from '../app.ts'
import { createPasswordCheck, type PasswordCheck } from '../passwords/check-password.ts'
import { type Credentials, createCredentials, type Hashing } from '../passwords/credentials.ts'
import { createUserQueries, type UserQueries } from '../users/users.ts'

declare module '../app.ts' {
  interface AppOptions {
    /** Hashes and verifies passwords. Default: the libraries. */
    hashing?: Hashing
  }
}

declare module 'fastify' {
  interface FastifyInstance {
    accounts: {
      access: Access
      changeEmail: EmailChange
      checkPassword: PasswordCheck
      completeLogin: Login
      credentials: Credentials
      register: Registration
      users: UserQueries
    }
  }
}

/** Builds the account flows and their dependencies, once per app. */
export default fp<AppOptions>(
  async (app, { hashing }) => {
    const { config, db, log, now } = app
    const access = createAccess({ config, db, now })
    const credentials = await createCredentials(config, hashing)
    const users = createUserQueries(db)
    app.decorate('accounts', {
      access,
      changeEmail: createEmailChange({ access, db }),
      checkPassword: createPasswordCheck({
        addressLimit: app.addressLimit('login', config.rateLimits.loginFailuresPerAddress),
        config,
        credentials,
        db,
        log,
        now,
      }),
      completeLogin: createLogin({ credentials, db, now }),
      credentials,
      register: createRegistration({ credentials, db, now }),
      users,
    })
  },
  { name: 'accounts', dependencies: ['address-limits'] },
)
