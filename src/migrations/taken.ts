import { accountsIn, type State } from '../answers/variant.ts'
import { UserError } from '../system/errors.ts'
import type { DatabaseSchema } from './database-schema.ts'

/**
 * The error for something of the owner's that has the name of something new.
 * @param yours what they have: `table "tokens"`
 */
export function taken(yours: string, kind: 'table' | 'column' | 'index', to: State): UserError {
  const [name, choose] = kind === 'index' ? ['an index', ''] : [`a ${kind}`, ' and choose "rename"']
  const both = kind === 'column' ? ', column and property,' : ''
  return new UserError(
    'refused',
    `Your ${yours} has the name of ${name} of ${nameOf(to)}. Rename yours${both} in its schema file, run \`db:generate\`${choose}, then run the command again.`,
  )
}

/**
 * The error for a column of the owner's that is in no migration yet, or has another name than its property.
 * @param column that of the new property
 */
export function takenProperty(path: string, property: string, column: string, to: State): UserError {
  return new UserError(
    'refused',
    `Your property "${property}" of ${path} has the name of a property of ${nameOf(to)}, whose column is "${column}". Rename your property, and its column if it has that name too, run \`db:generate\`, then run the command again.`,
  )
}

/** "mode basic A". */
function nameOf(state: State): string {
  const { mode, profile = '' } = accountsIn(state)
  return `mode ${mode} ${profile}`.trim()
}

/**
 * The tables of a switch refer to users.
 * @throws UserError (refused) if the owner renamed or removed the table
 */
export function refuseWithoutUsers(existing: DatabaseSchema, to: State): void {
  if (existing.hasTable('users')) return
  throw new UserError(
    'refused',
    `A migration of yours renamed or removed the table "users", which ${nameOf(to)} needs. Restore its name in its schema file, add a migration with \`ALTER TABLE <your name> RENAME TO users\`, then run the command again.`,
  )
}
