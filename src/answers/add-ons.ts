import { alternatives } from '../system/printing.ts'
import { compareVersions } from '../system/version.ts'
import { type Accounts, MODES, type Mode, type Profile } from './variant.ts'

/** A capability that a project can have or not. Its files are in layers of its name. */
interface AddOnDefinition {
  /** One line for prompts, help and documentation. */
  readonly line: string
  /** The version of create-authsmith that brought it. */
  readonly since: string
  /** The modes that allow it. */
  readonly modes: readonly Mode[]
  /** The only profile that allows it; all if missing. */
  readonly profile?: Profile
  /** What its removal means for users and operators; nothing if missing. */
  readonly removal?: string
  /** Whether it has tables of its own. */
  readonly hasTables?: true
  /** Whether users log in or protect themselves by it: a switch takes it out only with `--remove`. */
  readonly isSignIn?: true
}

const WITH_ACCOUNTS = ['basic', 'complete'] as const

/** Every add-on, by name. Flags, prompts, the JSON Schema, help, layers and documentation derive from this. */
export const ADD_ONS = {
  'account-data': {
    line: 'users delete their account and export their data',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal: 'users can no longer delete their account or export their data',
  },
  admin: {
    line: 'endpoints with which superusers manage users',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    profile: 'B',
    removal: 'only the command line lists and deactivates users',
  },
  backup: {
    line: 'db:backup, a backup while the service runs',
    since: '0.3.0',
    modes: ['none', ...WITH_ACCOUNTS],
  },
  'common-passwords': {
    line: 'refuses common passwords',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal: 'new passwords may be common ones',
  },
  'fair-queue': {
    line: 'clients take turns, so that one cannot delay the others',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal: 'a client that sends hundreds of requests at once delays the others until they are answered',
  },
  gateway: {
    line: 'proxies and other services ask whose a token is',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal: 'proxies and services that ask about tokens get 404',
  },
  import: {
    line: 'imports users with their password hashes',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal:
      'imported users whose hash is neither bcrypt nor argon2, and who did not log in yet, have to reset their password',
    hasTables: true,
  },
  jwks: {
    line: 'tokens that other services verify with public keys',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal: 'access tokens that a key signed end, and other services verify no new ones',
  },
  metrics: { line: '/metrics for Prometheus', since: '0.3.0', modes: ['none', ...WITH_ACCOUNTS] },
  pages: {
    line: 'pages to register, log in, change the account (recommended)',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal: 'your front end has to serve the pages that emails link to',
  },
  redis: {
    line: 'counts client addresses in Redis, for several instances',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal: 'each instance counts client addresses for itself',
  },
  'service-clients': {
    line: 'programs without a user get access tokens',
    since: '0.3.0',
    modes: WITH_ACCOUNTS,
    removal: 'programs without a user can no longer call your routes',
    hasTables: true,
  },
} satisfies Record<string, AddOnDefinition>

export type AddOn = keyof typeof ADD_ONS

/** The names of all add-ons, sorted. */
export const ADD_ON_NAMES = Object.keys(ADD_ONS).sort() as [AddOn, ...AddOn[]]

export const definitionOf = (addOn: AddOn): AddOnDefinition => ADD_ONS[addOn]

/** Add-ons as answers store them: sorted, each once. Which was added first makes no difference. */
export const sortedAddOns = (addOns: Iterable<AddOn>): AddOn[] => [...new Set(addOns)].sort()

/** Whether a project with this mode and profile may have the add-on. */
export function isAllowed(addOn: AddOn, { mode, profile }: Accounts): boolean {
  const { modes, profile: only } = definitionOf(addOn)
  return modes.includes(mode) && (only === undefined || only === profile)
}

/** The add-ons that a project with this mode and profile may have. */
export const allowedAddOns = (accounts: Accounts): AddOn[] =>
  ADD_ON_NAMES.filter((addOn) => isAllowed(addOn, accounts))

/** The add-ons of a new project whose user names none. */
export const defaultAddOns = (accounts: Accounts): AddOn[] => (isAllowed('pages', accounts) ? ['pages'] : [])

/** What an add-on needs, such as "mode basic or complete with profile B". */
export function requirementOf(addOn: AddOn): string {
  const { modes, profile } = definitionOf(addOn)
  const mode = modes.length === MODES.length ? 'any mode' : `mode ${alternatives(modes)}`
  return profile ? `${mode} with profile ${profile}` : mode
}

/** The add-ons that a project with this mode and profile may have, and that are newer than a version. */
export const addOnsSince = (version: string, accounts: Accounts): AddOn[] =>
  allowedAddOns(accounts).filter((addOn) => compareVersions(definitionOf(addOn).since, version) > 0)

/** Those of the add-ons that have tables of their own. */
export const withTables = (addOns: Iterable<AddOn>): AddOn[] =>
  sortedAddOns(addOns).filter((addOn) => definitionOf(addOn).hasTables)
