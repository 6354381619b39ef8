interface Preparable<Row> {
  prepare(): { all(values?: Record<string, unknown>): Row[] }
}

type Prepared<Row> = (values?: Record<string, unknown>) => Promise<Row[]>

/**
 * Compiles a query once, for frequent queries. Databases with named prepared statements use `name`.
 * @returns a function that takes the values of the query's `sql.placeholder(…)`s and resolves to the rows
 */
export const prepare: <Row>(query: Preparable<Row>, name: string) => Prepared<Row> = (query) => {
  const statement = query.prepare()
  return async (values) => statement.all(values)
}

/** Does nothing: in SQLite, a transaction locks the whole file, so rows need no locks. */
export const forUpdate = <Query>(query: Query): Query => query

/** Does nothing: in SQLite, no other transaction can have locked a row. */
export const skipLocked = <Query>(query: Query): Query => query
