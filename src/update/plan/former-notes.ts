import type { Former } from '../../project/former.ts'
import type { Manifest } from '../../project/manifest.ts'
import type { Files } from '../../system/file-system.ts'
import { settingsOnlyIn } from './add-on-notes.ts'

/** How long the former profile is accepted. */
export const acceptedNote = ({ profile, until }: Former): string =>
  `profile ${profile}: accepted until ${until}; after that, run regenerate --forget-former`

/** What the owner has to do after a switch of the profile, or after `--forget-former`. */
export function formerNotes(
  before: Manifest['former'],
  after: Manifest['former'],
  base: Files,
  next: Files,
): readonly string[] {
  if (after && after.until !== before?.until) return [acceptedNote(after)]
  if (after !== null || before === null) return []
  const unread = settingsOnlyIn(base, next)
  return unread.length === 0
    ? []
    : [`no longer read: ${unread.join(', ')}; remove it from .env and from any other place that sets it`]
}
