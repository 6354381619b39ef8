import packageJson from '../../../package.json' with { type: 'json' }
import { type AddOn, addOnsSince } from '../../answers/add-ons.ts'
import type { Manifest } from '../../project/manifest.ts'
import { compareVersions } from '../../system/version.ts'

/** The versions of an update by a newer create-authsmith. */
export interface Release {
  readonly from: string
  readonly to: string
  /** The address of what changed. */
  readonly changelog: string
  /** Add-ons that it brings and that the project may have. */
  readonly addOns: readonly AddOn[]
}

/** @param generator the version that generated the project. @returns undefined if this one did */
export function releaseSince({ generator, answers }: Manifest): Release | undefined {
  const to = packageJson.version
  if (compareVersions(generator, to) >= 0) return undefined
  const addOns = addOnsSince(generator, answers)
  return { from: generator, to, addOns, changelog: `https://unpkg.com/create-authsmith@${to}/CHANGELOG.md` }
}
