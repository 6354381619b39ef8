import { readEnv } from '../env/env-file.ts'
import type { Manifest } from '../project/manifest.ts'
import type { Files } from '../system/file-system.ts'

/** What the owner has to do after a switch of the profile, or after `--forget-former`. */
export function formerNotes(
  before: Manifest['former'],
  after: Manifest['former'],
  base: Files,
  next: Files,
): readonly string[] {
  if (after && after.until !== before?.until)
    return [
      `profile ${after.profile}: accepted until ${after.until}; after that, run regenerate --forget-former`,
    ]
  if (after !== null || before === null) return []
  const names = (files: Files) => Object.keys(readEnv(files.get('.env.example') ?? ''))
  const present = names(next)
  const unread = names(base).filter((name) => !present.includes(name))
  return unread.length === 0
    ? []
    : [`no longer read: ${unread.join(', ')}; remove it from .env and from any other place that sets it`]
}
