import { getTableName } from 'drizzle-orm/table'
import type pg from 'pg'
import { ConfigError } from '../config.ts'
import type { Table } from './dialect.ts'

/** What the account lacks, with the statements that fix it. Reads catalogs only, so no lock of a table delays it. */
const query = `
  WITH tables AS (
    SELECT name, found, pg_get_serial_sequence(found::text, id) AS ids
    FROM unnest($1::text[], $2::text[]) AS given (name, id), to_regclass(quote_ident(name)) AS found
  ), needs AS (
    SELECT name, needed, has_table_privilege(found, needed) AS is_granted, row_security_active(found) AND NOT EXISTS (
      SELECT FROM pg_policy, unnest(polroles) AS role WHERE polrelid = found AND polpermissive
        AND polcmd IN ('*', cmd) AND (role = 0 OR pg_has_role(role, 'USAGE'))) AS is_hidden
    FROM tables, unnest('{SELECT,INSERT,UPDATE,DELETE}'::text[], '{r,a,w,d}'::"char"[]) AS needs (needed, cmd)
  )
  SELECT current_setting('transaction_read_only') AS "readOnly", (SELECT string_agg(line, '; ') FROM (
    SELECT format('its encoding is %s, not UTF8: createdb --template=template0 --encoding=UTF8', encoding)
    FROM current_setting('server_encoding') AS encoding WHERE encoding <> 'UTF8'
    UNION ALL SELECT format('no schema of search_path (%s) is usable: correct it, or GRANT USAGE, CREATE ON SCHEMA public TO %I',
      current_setting('search_path'), current_user) WHERE current_schema() IS NULL
    UNION ALL SELECT format('the table %I is missing: restore it', name) FROM tables
    WHERE found IS NULL AND current_schema() IS NOT NULL
    UNION ALL SELECT format('GRANT %s ON %I TO %I', string_agg(needed, ', '), name, current_user)
    FROM needs WHERE NOT is_granted GROUP BY name
    UNION ALL SELECT format('GRANT USAGE ON SEQUENCE %s TO %I', ids, current_user)
    FROM tables WHERE NOT has_sequence_privilege(ids, 'USAGE, UPDATE')
    UNION ALL SELECT format('row level security hides %I (%s): CREATE POLICY service ON %1$I TO %3$I USING (true)',
      name, string_agg(needed, ', '), current_user) FROM needs WHERE is_hidden GROUP BY name
  ) AS problems (line)) AS problem`

/** @returns whether the server is read-only, as a replica is. @throws ConfigError with what the account lacks */
export async function checkAccess(server: pg.Pool | pg.Client, tables: readonly Table[]): Promise<boolean> {
  // A login takes the id of its session, which needs a right that no insert needs.
  const ids = tables.map((table) => ('id' in table ? 'id' : null))
  const { rows } = await server.query(query, [tables.map((table) => getTableName(table)), ids])
  if (rows[0].problem !== null) throw new ConfigError(`DATABASE_URL: ${rows[0].problem}`)
  return rows[0].readOnly === 'on'
}

/** What the server refused to a migration, in one line with what to do. Any other error as it is. */
export function withFix(error: unknown): unknown {
  const { code = '', message = '' } = error as { code?: string; message?: string }
  const [, what] = /^permission denied for (.+)$/.exec(message) ?? []
  const grant = what ? `GRANT ${/^schema/.test(what) ? 'CREATE' : 'ALL'} ON ${what} to the account, or ` : ''
  const fixes: Record<string, string> = {
    '42501': `${grant}run db:migrate with the account that owns the tables`,
    '42P07': 'no migration created it, perhaps drizzle-kit push did. Use an empty database',
  }
  return fixes[code] ? new ConfigError(`DATABASE_URL: ${message}: ${fixes[code]}`, { cause: error }) : error
}
