import { Cursor, isMark } from './cursor.ts'
import { type Dialect, type Token, tokensOf } from './tokens.ts'

/** What a statement does to the tables of a database. Names have the form that `Cursor.table()` returns. */
export type Statement = { readonly text: string } & (
  | {
      readonly kind: 'create-table'
      readonly table: string
      /** Each with its definition as written. */
      readonly columns: ReadonlyMap<string, string>
      /** Those with a name, each with its definition as written. */
      readonly constraints: ReadonlyMap<string, string>
    }
  | { readonly kind: 'create-index'; readonly index: string; readonly table: string }
  | { readonly kind: 'drop-tables'; readonly tables: readonly string[] }
  | { readonly kind: 'drop-indexes'; readonly indexes: readonly string[] }
  | { readonly kind: 'rename-index'; readonly index: string; readonly to: string }
  | { readonly kind: 'alter-table'; readonly table: string; readonly changes: readonly TableChange[] }
  | { readonly kind: 'other' }
)

export type CreateTable = Extract<Statement, { readonly kind: 'create-table' }>

export type TableChange =
  | {
      readonly kind: 'add-column' | 'drop-column' | 'add-constraint' | 'drop-constraint'
      readonly name: string
    }
  | { readonly kind: 'rename-table'; readonly to: string }
  | { readonly kind: 'rename-column'; readonly name: string; readonly to: string }

/** Drizzle Kit's separator between two statements. */
export const BREAKPOINT = '--> statement-breakpoint'

const CONSTRAINTS = ['PRIMARY', 'FOREIGN', 'UNIQUE', 'CHECK', 'EXCLUDE', 'LIKE']

/** The statements of a migration, in order. Those that are not understood, or not about the schema, are `other`. */
export function statementsOf(sql: string, dialect: Dialect): Statement[] {
  const found: Statement[] = []
  let start = 0
  const tokens = tokensOf(sql, dialect)
  tokens.forEach((token, index) => {
    const isEnd = isMark(token, ';')
    if (!isEnd && index < tokens.length - 1) return
    const statement = tokens.slice(start, isEnd ? index : index + 1)
    const first = statement[0]
    if (first) found.push(statementOf(sql, statement, sql.slice(first.start, token.end), dialect))
    start = index + 1
  })
  return found
}

function statementOf(sql: string, tokens: readonly Token[], text: string, dialect: Dialect): Statement {
  const cursor = new Cursor(tokens, dialect)
  if (cursor.skip('CREATE', 'TABLE') || cursor.skip('CREATE', 'UNLOGGED', 'TABLE'))
    return { kind: 'create-table', text, table: cursor.table(), ...definitionsOf(sql, cursor) }
  if (cursor.skip('CREATE', 'INDEX') || cursor.skip('CREATE', 'UNIQUE', 'INDEX')) {
    const index = cursor.table()
    if (cursor.skip('ON')) return { kind: 'create-index', text, index, table: cursor.table() }
  } else if (cursor.skip('DROP', 'TABLE')) {
    return { kind: 'drop-tables', text, tables: cursor.parts().map((part) => part.table()) }
  } else if (cursor.skip('DROP', 'INDEX')) {
    return { kind: 'drop-indexes', text, indexes: cursor.parts().map((part) => part.table()) }
  } else if (cursor.skip('ALTER', 'INDEX')) {
    const index = cursor.table()
    if (cursor.skip('RENAME', 'TO')) return { kind: 'rename-index', text, index, to: cursor.table() }
  } else if (cursor.skip('ALTER', 'TABLE')) {
    return { kind: 'alter-table', text, table: cursor.table(), changes: cursor.parts().flatMap(changeOf) }
  }
  return { kind: 'other', text }
}

/** What CREATE TABLE lists. */
function definitionsOf(sql: string, cursor: Cursor) {
  const columns = new Map<string, string>()
  const constraints = new Map<string, string>()
  for (const part of cursor.skip('(') ? cursor.parts() : []) {
    const definition = sql.slice(part.start, part.end)
    if (part.skip('CONSTRAINT')) constraints.set(part.name(), definition)
    else if (!CONSTRAINTS.some((word) => part.isAt(word))) columns.set(part.name(), definition)
  }
  return { columns, constraints }
}

function changeOf(part: Cursor): TableChange[] {
  if (part.skip('RENAME', 'TO')) return [{ kind: 'rename-table', to: part.table() }]
  if (part.skip('RENAME', 'CONSTRAINT')) return []
  if (part.skip('RENAME')) {
    const name = part.name()
    return part.skip('TO') ? [{ kind: 'rename-column', name, to: part.name() }] : []
  }
  const verb = part.skip('ADD') ? 'add' : part.skip('DROP') ? 'drop' : undefined
  if (!verb) return []
  if (part.skip('CONSTRAINT')) return [{ kind: `${verb}-constraint`, name: part.name() }]
  return CONSTRAINTS.some((word) => part.isAt(word)) ? [] : [{ kind: `${verb}-column`, name: part.name() }]
}
