import { access } from './list/access.js'
import { accessTokens } from './list/access-tokens.js'
import { accounts } from './list/accounts.js'
import { answers } from './list/answers.js'
import { clients } from './list/clients.js'
import { commands } from './list/commands.js'
import { connections } from './list/connections.js'
import { emailChanges } from './list/email-changes.js'
import { events } from './list/events.js'
import { floods } from './list/floods.js'
import { gateway } from './list/gateway.js'
import { hashes } from './list/hashes.js'
import { imports } from './list/imports.js'
import { input } from './list/input.js'
import { limits } from './list/limits.js'
import { mailDelivery } from './list/mail-delivery.js'
import { mailRequests } from './list/mail-requests.js'
import { mailedTokens } from './list/mailed-tokens.js'
import { pages } from './list/pages.js'
import { passwords } from './list/passwords.js'
import { postgres } from './list/postgres.js'
import { races } from './list/races.js'
import { refreshTokens } from './list/refresh-tokens.js'
import { retiredNames } from './list/retired-names.js'
import { serviceClients } from './list/service-clients.js'
import { sessions } from './list/sessions.js'
import { settings } from './list/settings.js'
import { signingKeys } from './list/signing-keys.js'

/** Every mutant, by area. */
export const mutants = [
  ...accessTokens,
  ...signingKeys,
  ...access,
  ...refreshTokens,
  ...sessions,
  ...hashes,
  ...passwords,
  ...clients,
  ...limits,
  ...floods,
  ...input,
  ...connections,
  ...answers,
  ...pages,
  ...mailDelivery,
  ...mailedTokens,
  ...mailRequests,
  ...settings,
  ...accounts,
  ...commands,
  ...imports,
  ...emailChanges,
  ...retiredNames,
  ...events,
  ...races,
  ...postgres,
  ...gateway,
  ...serviceClients,
]
