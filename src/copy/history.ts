import type { Journal } from '../migrations/folder.ts'
import type { Manifest } from '../project/manifest.ts'
import { UserError } from '../system/errors.ts'
import type { Source } from './database.ts'

/**
 * The migration of a switch may revoke sessions and withdraw verified addresses. Rows copied from a source without it
 * would keep them: an address that was changed in mode basic would count as verified.
 * @param entries of the source's journal; undefined if the project never used that kind of database
 * @throws UserError (refused) if the source lacks migrations, or its migrations lack a switch that the target's have
 */
export async function refuseOlderSource(
  source: Pick<Source, 'kind' | 'migrations'>,
  entries: Journal['entries'] | undefined,
  { history, migrated, answers }: Pick<Manifest, 'history' | 'migrated' | 'answers'>,
): Promise<void> {
  // Without a journal, only the comparison of the tables shows whether the source fits.
  if (!entries) return
  const applied = await source.migrations()
  const pending = entries.filter(({ when }) => !applied.has(when))
  if (pending.length > 0)
    throw new UserError(
      'refused',
      `The source lacks the migrations ${pending.map(({ tag }) => tag).join(', ')} of migrations/${source.kind}. ` +
        'Run db:migrate on it, in the commit before the switch of the database',
    )
  const missing = history.slice(migrated[source.kind], migrated[answers.database])
  if (missing.length > 0)
    throw new UserError(
      'refused',
      `The source has not been through the switch to ${missing.join(' and ')}, which is in migrations/${answers.database} only. ` +
        'Go back to the commit before that switch, switch mode and profile, run db:migrate, then switch the database',
    )
}
