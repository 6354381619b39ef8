import { accountsIn, hasUsers, type State } from '../../answers/variant.ts'
import { refused, type UserError } from '../../system/errors.ts'
import type { Dialect } from '../sql/tokens.ts'

/**
 * The error for something of the owner's that has the name of something new.
 * @param yours what they have: `index "tokens_user"`
 * @param what whose name it is: `mode basic A`
 */
export function collision(yours: string, kind: 'column' | 'index', what: string): UserError {
  const [name, choose] = kind === 'index' ? ['an index', ''] : ['a column', ' and choose "rename"']
  const both = kind === 'column' ? ', column and property,' : ''
  return refused(
    `Your ${yours} has the name of ${name} of ${what}. Rename yours${both} in its schema file, run \`db:generate\`${choose}, then run the command again.`,
  )
}

/** The error for a table of the owner's that has the name of a new one. */
export const tableCollision = (table: string, dialect: Dialect, what: string): UserError =>
  refused(
    `Your table "${table}" has the name of a table of ${what}. Rename yours in its schema file, ${renaming(dialect, table, '<new name>')}, then run the command again.`,
  )

/**
 * How to write the migration that renames a table. On PostgreSQL, Drizzle Kit 0.31 stops with an error if a renamed
 * table has an identity column, whose sequence has the name of the table.
 */
const renaming = (dialect: Dialect, from: string, to: string): string =>
  dialect === 'sqlite'
    ? 'run `db:generate` and choose "rename"'
    : `run \`db:generate\`, choose "create", and replace what the new migration does with both tables by \`ALTER TABLE "${from}" RENAME TO "${to}"; ALTER SEQUENCE IF EXISTS "${from}_id_seq" RENAME TO "${to}_id_seq";\``

/** What a state is called in errors: "mode basic A". */
export function nameOf(state: State): string {
  const { mode, profile = '' } = accountsIn(state)
  return `mode ${mode} ${profile}`.trim()
}

/**
 * The tables of a switch refer to users, and a second table of that name would start without a user.
 * @param from the current state: if its code has users, so has Drizzle Kit's snapshot, under the owner's name
 * @throws UserError (refused)
 */
export function refuseWithoutUsers(dialect: Dialect, from: State | undefined, to: State): never {
  const rename =
    from !== undefined && hasUsers(from)
      ? `Restore its name in its schema file, ${renaming(dialect, '<your name>', 'users')}`
      : 'Add an empty migration with `db:generate --custom` and write `ALTER TABLE <your name> RENAME TO users` into it'
  throw refused(
    `A migration of yours renamed or removed the table "users", which ${nameOf(to)} needs. ${rename}, then run the command again.`,
  )
}
