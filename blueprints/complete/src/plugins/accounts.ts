import fp from 'fastify-plugin'
import { type Access, createAccess } from '../accounts/access.ts'
import { type AccessTokens, createAccessTokens } from '../accounts/access-tokens.ts'
import { type Credentials, createCredentials } from '../accounts/credentials.ts'
import { createEmailChange } from '../accounts/email-change.ts'
import { createEmailOwnership, type EmailOwnership } from '../accounts/email-ownership.ts'
import { createEmailTokens } from '../accounts/email-tokens.ts'
import { deriveKeys } from '../accounts/keys.ts'
import { createMailRequests, type MailRequests } from '../accounts/mail-requests.ts'
import { createPasswordReset, type PasswordReset } from '../accounts/password-change.ts'
import { createPasswordCheck, type PasswordCheck } from '../accounts/password-check.ts'
import { createRegistration } from '../accounts/registration.ts'
import { createSessions, type Sessions } from '../accounts/sessions.ts'
import { createUserQueries, type UserQueries } from '../accounts/users.ts'
import type { AddressLimit } from '../limits/address-limit.ts'

declare module 'fastify' {
  interface FastifyInstance {
    accounts: {
      access: Access
      accessTokens: AccessTokens
      changeEmail: ReturnType<typeof createEmailChange>
      checkPassword: PasswordCheck
      credentials: Credentials
      emailOwnership: EmailOwnership
      passwordReset: PasswordReset
      register: ReturnType<typeof createRegistration>
      requestMail: MailRequests
      sessions: Sessions
      /** Wrong verification and reset tokens. */
      tokenFailures: AddressLimit
      users: UserQueries
    }
  }
}

/** Puts the rules of accounts together, once for the app. */
export default fp(
  async (app) => {
    const { config, db, now } = app
    const keys = deriveKeys(config.accessTokens)
    const accessTokens = createAccessTokens(config.accessTokens, now)
    const credentials = await createCredentials(config.credentials)
    const users = createUserQueries(db)
    const { outbox } = app.mail
    const sessions = createSessions(config.sessions, keys.refreshTokens, now)
    const emailTokens = createEmailTokens(config.mail, keys.emailTokens, now)
    const emailOwnership = createEmailOwnership({ config, db, emailTokens, outbox })
    app.decorate('accounts', {
      access: createAccess({ accessTokens, config, db, now, sessions }),
      accessTokens,
      changeEmail: createEmailChange({ db, emailOwnership, now, outbox }),
      checkPassword: createPasswordCheck({
        addressLimit: app.addressLimit('login', config.rateLimits.loginFailuresPerAddress),
        config,
        credentials,
        db,
        now,
      }),
      credentials,
      emailOwnership,
      passwordReset: createPasswordReset({ config, credentials, db, emailTokens, now, outbox }),
      register: createRegistration({ db, emailOwnership, now }),
      requestMail: createMailRequests({ config, db, now, users }),
      sessions,
      tokenFailures: app.addressLimit('token', config.rateLimits.tokenFailures),
      users,
    })
  },
  { name: 'accounts', dependencies: ['address-limits', 'mail'] },
)
