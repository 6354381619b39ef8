interface Preparable<Row> {
  prepare(): { all(values?: Record<string, unknown>): Row[] }
}

/**
 * Prepares a frequent query: SQLite compiles it only once.
 * @returns a function that takes the values of the query's `sql.placeholder(…)`s and resolves to the rows
 */
export function prepare<Row>(query: Preparable<Row>) {
  const statement = query.prepare()
  return async (values?: Record<string, unknown>): Promise<Row[]> => statement.all(values)
}

/** Does nothing: in SQLite, a transaction locks the whole file, so rows need no locks. */
export const forUpdate = <Query>(query: Query): Query => query

/** Does nothing: in SQLite, no other transaction can have locked a row. */
export const skipLocked = <Query>(query: Query): Query => query
