import fp from 'fastify-plugin'
import { type Access, createAccess } from '../access/access.ts'
import {
  createEmailChangeCancellation,
  type EmailChangeCancellation,
} from '../accounts/cancel-email-change.ts'
import { createEmailChange, type EmailChange } from '../accounts/change-email.ts'
import { createEmailChangeConfirmation } from '../accounts/confirm-email-change.ts'
import { createLogin, type Login } from '../accounts/login.ts'
import { createLoginNotice } from '../accounts/login-notice.ts'
import { createRegistration, type Registration } from '../accounts/register.ts'
import { createMailRequests, type MailRequests } from '../accounts/request-mail.ts'
import { requireVerified } from '../accounts/require-verified.ts'
import { createPasswordReset, type PasswordReset } from '../accounts/reset-password.ts'
import { createEmailChangeUndo, type EmailChangeUndo } from '../accounts/undo-email-change.ts'
import { createEmailVerification, type EmailVerification } from '../accounts/verify-email.ts'
import type { AppOptions } from '../app.ts'
import { createEmailTokens } from '../email-tokens/email-tokens.ts'
import { createUndoTokens } from '../email-tokens/undo-tokens.ts'
import { deriveKeys } from '../keys.ts'
import type { AddressLimit } from '../limits/address-limit.ts'
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
      cancelEmailChange: EmailChangeCancellation
      changeEmail: EmailChange
      checkPassword: PasswordCheck
      completeLogin: Login
      credentials: Credentials
      emailVerification: EmailVerification
      mailRequests: MailRequests
      /** Requests for mails. */
      mailRequestLimit: AddressLimit
      passwordReset: PasswordReset
      register: Registration
      /** Wrong mailed tokens. */
      tokenFailures: AddressLimit
      undoEmailChange: EmailChangeUndo
      users: UserQueries
    }
  }
}

/** Builds the account flows and their dependencies, once per app. */
export default fp<AppOptions>(
  async (app, { hashing }) => {
    const { config, db, log, now } = app
    const { outbox } = app.mail
    const access = createAccess({ config, db, now })
    const credentials = await createCredentials(config, hashing)
    const users = createUserQueries(db)
    const keys = deriveKeys(config.accessTokens).emailTokens
    const emailTokens = createEmailTokens(config.email, keys, now)
    const undoTokens = createUndoTokens(keys, now)
    const change = { access, config, db, emailTokens, now, outbox, undoTokens }
    const confirmEmailChange = createEmailChangeConfirmation(change)
    const emailVerification = createEmailVerification({
      config,
      confirmEmailChange,
      db,
      emailTokens,
      outbox,
    })
    const passwordReset = createPasswordReset({ access, config, credentials, db, emailTokens, outbox })
    app.decorate('accounts', {
      access,
      cancelEmailChange: createEmailChangeCancellation(change),
      changeEmail: createEmailChange(change),
      checkPassword: createPasswordCheck({
        addressLimit: app.addressLimit('login', config.rateLimits.loginFailuresPerAddress),
        config,
        credentials,
        db,
        log,
        now,
      }),
      completeLogin: createLogin({
        admit: config.accounts.loginRequiresVerifiedEmail ? requireVerified : undefined,
        credentials,
        db,
        now,
        onNewClient: createLoginNotice({ config, now, outbox }),
      }),
      credentials,
      emailVerification,
      mailRequestLimit: app.addressLimit('mail', config.rateLimits.mailRequests),
      mailRequests: createMailRequests({ config, db, emailVerification, log, now, passwordReset }),
      passwordReset,
      register: createRegistration({ credentials, db, emailVerification, now }),
      tokenFailures: app.addressLimit('token', config.rateLimits.tokenFailures),
      undoEmailChange: createEmailChangeUndo(change),
      users,
    })
  },
  { name: 'accounts', dependencies: ['address-limits', 'mail'] },
)
