const MODES_WITH_ACCOUNTS = ['basic', 'complete'] as const
export const MODES = ['none', ...MODES_WITH_ACCOUNTS] as const
export const PROFILES = ['A', 'B'] as const
export const DATABASES = ['sqlite', 'postgres'] as const

/** The answers that `--yes` uses for missing ones. */
export const DEFAULTS = { mode: 'complete', profile: 'B', database: 'sqlite' } as const

export type Mode = (typeof MODES)[number]
type ModeWithAccounts = (typeof MODES_WITH_ACCOUNTS)[number]
export type Profile = (typeof PROFILES)[number]
export type Database = (typeof DATABASES)[number]

/** Mode and profile, which determine a project's tables. Mode none has no accounts and therefore no profile. */
export type Accounts =
  | { readonly mode: 'none'; readonly profile?: undefined }
  | { readonly mode: ModeWithAccounts; readonly profile: Profile }

/** What determines a project's files, besides its name and package manager. */
export type Variant = Accounts & { readonly database: Database }

/** Mode and profile as one name. Used in a project's history and in the names of its migrations. */
export type State = 'none' | `${ModeWithAccounts}-${Lowercase<Profile>}`

/** Whether a mode has accounts, and therefore a profile. */
export const hasAccounts = (mode: Mode): mode is ModeWithAccounts =>
  (MODES_WITH_ACCOUNTS as readonly Mode[]).includes(mode)

/** @returns undefined for mode none with a profile, and for any other mode without one */
export function accountsOf(mode: Mode, profile: Profile | undefined): Accounts | undefined {
  if (hasAccounts(mode)) return profile && { mode, profile }
  return profile ? undefined : { mode }
}

/** @returns undefined for mode none with a profile, and for any other mode without one */
export function variantOf(answers: {
  readonly mode: Mode
  readonly profile?: Profile | undefined
  readonly database: Database
}): Variant | undefined {
  const accounts = accountsOf(answers.mode, answers.profile)
  return accounts && { ...accounts, database: answers.database }
}

/** The state of a project with this mode and profile, such as "complete-b". */
export const stateOf = ({ mode, profile }: Accounts): State =>
  [mode, profile?.toLowerCase()].filter(Boolean).join('-') as State

const ALL_ACCOUNTS: readonly Accounts[] = MODES.flatMap((mode) =>
  [undefined, ...PROFILES].flatMap((profile) => accountsOf(mode, profile) ?? []),
)

const accountsByState = new Map(ALL_ACCOUNTS.map((accounts) => [stateOf(accounts), accounts]))

export const STATES: readonly State[] = [...accountsByState.keys()]

/** The mode and profile that a state names. */
export const accountsIn = (state: State): Accounts => accountsByState.get(state) as Accounts

/** All variants, grouped by database. */
export const allVariants = (): Variant[] =>
  DATABASES.flatMap((database) => ALL_ACCOUNTS.map((accounts) => ({ ...accounts, database })))

/** Whether both have a profile, and not the same. */
export const isProfileSwitch = (from: Accounts, to: Accounts): boolean =>
  from.profile !== undefined && to.profile !== undefined && from.profile !== to.profile

/** The name of a variant's folder in examples/, such as "complete-b-sqlite". */
export const nameOf = (variant: Variant): string => `${stateOf(variant)}-${variant.database}`

/** A project for messages, such as "complete, B, sqlite + metrics, pages". */
export function describeVariant({
  mode,
  profile,
  database,
  addOns,
}: Variant & { readonly addOns: readonly string[] }): string {
  const variant = [mode, profile, database].filter(Boolean).join(', ')
  return addOns.length === 0 ? variant : `${variant} + ${addOns.join(', ')}`
}

const knownAccounts = (state: State | undefined) => state && accountsIn(state)

export const isBasic = (state: State | undefined): boolean => knownAccounts(state)?.mode === 'basic'
export const isComplete = (state: State | undefined): boolean => knownAccounts(state)?.mode === 'complete'
export const isProfileB = (state: State | undefined): boolean => knownAccounts(state)?.profile === 'B'

export const hasUsers = (state: State): boolean => hasAccounts(accountsIn(state).mode)
