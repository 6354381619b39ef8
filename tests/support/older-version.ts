// A made-up version before this one. Its projects are those of this version, with a few differences.
import type { Dialect } from '../../src/migrations/sql/tokens.ts'
import { withImports } from '../../src/update/owner/owner-moves.ts'

export const OLDER = '0.2.9'

/** What this version moved: the content of blueprints/moved.json. */
export const MOVED: Readonly<Record<string, string>> = {
  'src/http/problem.ts': 'src/problem.ts',
  'src/request.ts': 'src/schemas/text.ts',
  'src/accounts/names.ts': 'src/users/names.ts',
}

/** What audit finds in a file of the core, and in one of an add-on. */
const DEFECTS = [
  {
    title: 'A large body takes all memory',
    layers: ['core/all'],
    check: 'Send 1 MB.',
    path: 'src/app.ts',
    vulnerable: 'bodyLimit: 1024 * 1024,',
    fixed: 'bodyLimit: 16 * 1024,',
  },
  {
    title: 'The time of an answer reveals the token',
    layers: ['add-ons/metrics/all'],
    check: 'Measure wrong tokens.',
    path: 'src/plugins/metrics.ts',
    vulnerable: 'authorization !== `Bearer ${token}`',
    fixed: '!timingSafeEqual(hash(authorization), hash(`Bearer ${token}`))',
  },
]

/** The content of blueprints/advisories.json. */
export const ADVISORIES = {
  formatVersion: 1,
  advisories: DEFECTS.map(({ title, layers, check, path, vulnerable, fixed }, index) => ({
    id: `AUTHSMITH-2026-00${index + 1}`,
    severity: 'high',
    title,
    affected: `<=${OLDER}`,
    fixedIn: '0.3.0',
    layers,
    check,
    files: [{ path, changes: [{ before: [vulnerable], after: [fixed] }] }],
  })),
}

/** Only that version generated these. */
const GONE = {
  'src/reports/report.ts':
    "import { total } from './totals.ts'\n\nexport const report = () => total([1, 2])\n",
  'src/reports/totals.ts':
    'export const total = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0)\n',
}

/** A rendered project of this version, as that version rendered it. @param files texts by path */
export function asOlder(files: Iterable<[string, string]>, database: Dialect): Map<string, string> {
  const former = new Map(Object.entries(MOVED).map(([path, newPath]) => [newPath, path]))
  const moved = [...files].map(([path, text]): [string, string] => [
    former.get(path) ?? path,
    withImports(path, former, text),
  ])
  const older = new Map([...moved, ...Object.entries(GONE)])
  for (const { path, vulnerable, fixed } of DEFECTS) {
    const text = older.get(path)
    if (text) older.set(path, text.replace(fixed, vulnerable))
  }
  return olderTables(older, database)
}

interface Snapshot {
  tables: Record<string, Record<'indexes' | 'uniqueConstraints', Record<string, unknown>>>
}

/** Indexes; on PostgreSQL, the second is a constraint. */
const ADDED = ['outbox_user', 'outbox_message_id_unique', 'refresh_tokens_user_revoked', 'attempts_account']

/** Without a table, three indexes and a unique constraint that this version added. */
export function olderTables(files: ReadonlyMap<string, string>, database: Dialect): Map<string, string> {
  const folder = `migrations/${database}`
  const sql = (files.get(`${folder}/0000_init.sql`) ?? '')
    .replace(/CREATE TABLE .mail_requests. [^;]*;\n--> statement-breakpoint\n/, '')
    .replace(/,\n\tCONSTRAINT "outbox_message_id_unique" .*/, '')
    .replace(
      new RegExp(`CREATE (?:UNIQUE )?INDEX .(?:mail_requests_\\w+|${ADDED.join('|')}). .*\\n`, 'g'),
      '',
    )
  const path = `${folder}/meta/0000_snapshot.json`
  const snapshot: Snapshot = JSON.parse(files.get(path) ?? '')
  const prefix = database === 'sqlite' ? '' : 'public.'
  delete snapshot.tables[`${prefix}mail_requests`]
  for (const { indexes, uniqueConstraints } of Object.values(snapshot.tables))
    for (const group of [indexes, uniqueConstraints]) for (const name of ADDED) delete group[name]
  return new Map([...files, [`${folder}/0000_init.sql`, sql], [path, JSON.stringify(snapshot, null, 2)]])
}
