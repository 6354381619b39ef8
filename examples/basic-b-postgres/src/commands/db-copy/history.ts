import { existsSync, readFileSync } from 'node:fs'
import { CopyError, type DatabaseKind, type Source } from './database.ts'

/** One folder for each kind of database that the project has been on. */
const migrationsFolder = new URL('../../../migrations/', import.meta.url)

/**
 * A migration of a switch may change rows: it ends sessions, and takes back what is no longer verified. Rows that are
 * copied past it would keep what it takes: an address that was changed in mode basic would count as verified.
 * @throws CopyError where the source has not had all migrations of its kind, or these lack a switch that the target's have
 */
export async function refuseOlderSource(
  source: Pick<Source, 'kind' | 'migrations'>,
  target: DatabaseKind,
  folder = migrationsFolder,
): Promise<void> {
  const entries = journalOf(source.kind, folder)
  // The project was never on this kind of database: the tables alone say whether it fits.
  if (!entries) return
  const applied = await source.migrations()
  const pending = entries.filter(({ when }) => !applied.has(when))
  if (pending.length > 0)
    throw new CopyError(
      `The source has not had ${pending.map(({ tag }) => tag).join(', ')} of migrations/${source.kind}: go back to the commit before the switch of the database, and run db:migrate on it`,
    )
  const missing = switchesOf(journalOf(target, folder) ?? []).slice(switchesOf(entries).length)
  if (missing.length > 0)
    throw new CopyError(
      `The source has not been through the switch to ${missing.join(' and ')}, which is in migrations/${target} only: go back to the commit before, switch mode and profile, run db:migrate, then switch the database`,
    )
}

interface Entry {
  tag: string
  when: number
}

function journalOf(kind: DatabaseKind, folder: URL): Entry[] | undefined {
  const file = new URL(`${kind}/meta/_journal.json`, folder)
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).entries : undefined
}

/** The states that the project has gone through, without the owner's migrations between them. */
const switchesOf = (entries: Entry[]): string[] =>
  entries.flatMap(({ tag }) => /^\d+_(init|none|(?:basic|complete)-[ab])$/.exec(tag)?.[1] ?? [])
