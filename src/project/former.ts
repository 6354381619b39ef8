import * as z from 'zod'
import { type Accounts, accountsIn, PROFILES, type Profile, type State } from '../answers/variant.ts'

/** The project's former profile. Its access tokens, mailed links and codes are still accepted. */
export interface Former {
  readonly profile: Profile
  /** ISO 8601 time by which everything that the profile issued expires. */
  readonly until: string
}

/** The former profile in the manifest, where null means after `--forget-former`. */
export const formerSchema = z.strictObject({
  profile: z.enum(PROFILES),
  until: z.iso.datetime({ precision: 3, error: 'must be a time such as 2026-01-31T12:00:00.000Z' }),
})

/** Time to deploy the switched service. Access tokens live for 24 hours at most, mailed links and codes for a week. */
const ACCEPTED_MS = 7 * 24 * 60 * 60 * 1000

/**
 * How long the former profile is accepted after a switch.
 * @param now milliseconds since 1970
 * @returns an ISO 8601 time
 */
export const acceptedUntil = (now: number): string => new Date(now + ACCEPTED_MS).toISOString()

/** The setting with the time until which the service accepts access tokens of its former profile. */
export const untilSetting = (profile: Profile): string => `PROFILE_${profile}_TOKENS_UNTIL`

interface Past {
  /** Undefined in a project that never switched; null after `--forget-former`. */
  readonly former?: Former | null | undefined
  readonly history: readonly State[]
}

/** The manifest's former profile after an update. A switch back makes the other profile the former one. */
export function formerAfter(past: Past, to: Accounts, now: number): Former | null | undefined {
  const last = past.history.flatMap((state) => accountsIn(state).profile ?? []).at(-1)
  return last && to.profile && to.profile !== last
    ? { profile: last, until: acceptedUntil(now) }
    : past.former
}

/** The manifest's former profile after `--forget-former`. */
export const formerForgotten = ({ former }: Past): null | undefined =>
  former === undefined ? undefined : null
