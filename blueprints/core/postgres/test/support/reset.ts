/** Runs SQL. @returns the rows of its last statement */
export type Run = (statements: string) => Promise<Record<string, unknown>[]>

/**
 * Prepares a migrated schema for a second test: call this before the first one.
 * @returns a function that empties the schema after a test; `false` if the schema is not as it was before, because the
 * test changed more than rows, left a connection open, or deleted rows that a migration had inserted
 */
export async function createReset(run: Run, schema: string): Promise<() => Promise<boolean>> {
  const names = await run(
    `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname = '${schema}'`,
  )
  const tables = names.map(({ name }) => String(name))
  const sequences = await run(`
    SELECT format('setval(%L, %s, %L)', format('%I.%I', schemaname, sequencename)
      , coalesce(last_value, start_value), last_value IS NOT NULL) AS call
    FROM pg_sequences WHERE schemaname = '${schema}'`)
  // One statement checks foreign keys at its end, so the order does not matter. TRUNCATE takes ten times as long.
  const deletions = tables
    .filter((table) => !table.endsWith('.__drizzle_migrations'))
    .map((table, index) => `t${index} AS (DELETE FROM ${table})`)
  const empty = `WITH ${deletions.join(', ')} SELECT ${sequences.map(({ call }) => call).join(', ')}`
  const state = await selectState(run, schema, tables)
  const [before] = await run(state)
  return async () => {
    // A connection that the test left open may hold locks.
    const after = await run(`SET LOCAL lock_timeout TO '1s'; ${empty}; ${state}`).catch(() => [])
    return before !== undefined && after[0]?.hash === before.hash
  }
}

/** The columns of the catalogs that say which schema, relation or type a row describes. */
const ofSchema = ['pg_namespace.oid', 'pg_class.relnamespace', 'pg_type.typnamespace', 'pg_proc.pronamespace']
const ofRelation = [
  ...['pg_attribute.attrelid', 'pg_attrdef.adrelid', 'pg_constraint.conrelid', 'pg_index.indexrelid'],
  ...['pg_policy.polrelid', 'pg_rewrite.ev_class', 'pg_sequence.seqrelid', 'pg_statistic.starelid'],
  'pg_trigger.tgrelid',
]
const ofType = ['pg_constraint.contypid', 'pg_enum.enumtypid']

/**
 * A query for a hash of all rows, and of the versions of the catalogs' rows about the schema, which statements such as
 * ALTER TABLE, GRANT and ANALYZE replace.
 */
async function selectState(run: Run, schema: string, tables: string[]): Promise<string> {
  const space = `'${schema}'::regnamespace`
  const [ids] = await run(`
    SELECT ARRAY(SELECT oid FROM pg_class WHERE relnamespace = ${space})::text AS relations
      , ARRAY(SELECT oid FROM pg_type WHERE typnamespace = ${space})::text AS types`)
  const versions = (columns: string[], values: string) =>
    columns.map((column) => {
      const [catalog, name] = column.split('.')
      return `SELECT concat_ws(' ', tableoid, ctid, xmin) FROM ${catalog} WHERE ${name} = ANY (${values})`
    })
  const parts = [
    ...versions(ofSchema, `ARRAY[${space}]::oid[]`),
    ...versions(ofRelation, `'${ids?.relations}'`),
    ...versions(ofType, `'${ids?.types}'`),
    ...tables.map((table) => `SELECT rows::text FROM ${table} rows`),
    `SELECT 'open connection' FROM pg_stat_activity WHERE application_name = '${schema}'`,
  ]
  return `SELECT md5(string_agg(part, ' ' ORDER BY part)) AS hash FROM (${parts.join(' UNION ALL ')}) parts (part)`
}
