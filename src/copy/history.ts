import type { Migration } from '../migrations/drizzle-kit/folder.ts'
import type { Manifest } from '../project/manifest.ts'
import { refused } from '../system/errors.ts'
import { compareApplied } from './applied.ts'
import type { Source } from './database.ts'

/**
 * The migration of a switch may revoke sessions and withdraw verified addresses. Rows copied from a source without it
 * would keep them: an address that was changed in mode basic would count as verified.
 * @param migrations those of the source's kind of database; undefined if the project never used that kind of database
 * @throws UserError (refused) if the source lacks migrations, or its migrations lack a switch that the target's have
 */
export async function refuseOlderSource(
  source: Pick<Source, 'kind' | 'migrations'>,
  migrations: readonly Omit<Migration, 'snapshot'>[] | undefined,
  { history, migrated, answers }: Pick<Manifest, 'history' | 'migrated' | 'answers'>,
): Promise<void> {
  // Without migrations, only the comparison of the tables shows whether the source fits.
  if (!migrations) return
  const { pending, repeated } = compareApplied(migrations, await source.migrations())
  const lacking = [...repeated.map(({ migration }) => migration), ...pending]
  if (lacking.length > 0)
    throw refused(
      `The source lacks the migrations ${lacking.map(({ tag }) => tag).join(', ')} of migrations/${source.kind}. ` +
        'Run db:migrate on it, in the commit before the switch of the database',
    )
  const missing = history.slice(migrated[source.kind], migrated[answers.database])
  if (missing.length > 0)
    throw refused(
      `The source has not been through the switch to ${missing.join(' and ')}, which is in migrations/${answers.database} only. ` +
        'Go back to the commit before that switch, switch mode and profile, run db:migrate, then switch the database',
    )
}
