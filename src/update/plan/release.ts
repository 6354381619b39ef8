import packageJson from '../../../package.json' with { type: 'json' }
import { compareVersions } from '../../system/version.ts'

/** The versions of an update by a newer create-authsmith. */
export interface Release {
  readonly from: string
  readonly to: string
  /** The address of what changed. */
  readonly changelog: string
}

/** @param generator the version that generated the project. @returns undefined if this one did */
export function releaseSince(generator: string): Release | undefined {
  const to = packageJson.version
  if (compareVersions(generator, to) >= 0) return undefined
  return { from: generator, to, changelog: `https://unpkg.com/create-authsmith@${to}/CHANGELOG.md` }
}
