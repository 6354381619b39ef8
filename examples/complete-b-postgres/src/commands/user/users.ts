import { z } from 'zod'
import { setPassword } from '../../accounts/end-access.ts'
import { activateUser, deactivateUser, endUserSessions } from '../../accounts/manage-users.ts'
import { urlNumber } from '../../schemas/text.ts'
import { email, toUserResponse, username } from '../../schemas/user.ts'
import { insertUser, listUsers, lockUser, updateUser } from '../../users/users.ts'
import { checked, findUser, onUser, readNewPassword, type UserCommand } from '../user-commands.ts'

const page = z.object({
  search: z.string().optional(),
  after: urlNumber({ min: 0 }).default(0),
  limit: urlNumber().default(100),
  json: z.boolean().default(false),
})

export default {
  activate: onUser({
    summary: 'let a deactivated user log in again',
    event: 'user.activated',
    change: (ctx, user) => activateUser(ctx, user.id),
    done: 'is active',
  }),

  create: {
    arguments: ['username', 'email'],
    summary: 'create a user; prompts for the password',
    async run(context, name, address) {
      const account = checked(z.object({ username, email }), { username: name, email: address })
      const hashedPassword = await readNewPassword(context, account)
      const { db, log, now } = context
      const user = await db.transaction((tx) => insertUser(tx, { ...account, hashedPassword }, now()))
      log.info({ event: 'user.created', userId: user.id }, 'user created')
      return `Created user ${user.username} (id ${user.id}).`
    },
  },

  // Also revokes the user's tokens. Activating the user does not restore them.
  deactivate: onUser({
    summary: 'block a user immediately',
    event: 'user.deactivated',
    change: (ctx, user) => deactivateUser(ctx, user.id),
    done: 'is deactivated',
  }),

  // For a lost device or a stolen token. The user stays active and keeps their password.
  'end-sessions': onUser({
    summary: 'log a user out everywhere',
    event: 'sessions.ended',
    change: (ctx, user) => endUserSessions(ctx, user.id),
    done: 'is logged out everywhere',
  }),

  list: {
    arguments: [],
    options: {
      search: { type: 'string' },
      after: { type: 'string' },
      limit: { type: 'string' },
      json: { type: 'boolean' },
    },
    summary: 'list users by id; 100 unless --limit says otherwise',
    async run({ db, options }) {
      const { json, ...range } = checked(page, options)
      const found = await listUsers(db, range)
      const rows = found.map((user) => ({
        ...toUserResponse(user),
        is_superuser: user.isSuperuser,
      }))
      if (json) return rows.map((row) => JSON.stringify(row)).join('\n')
      const [first] = rows
      if (!first) return 'No users.'
      const lines = table([Object.keys(first), ...rows.map((row) => Object.values(row).map(String))])
      if (rows.length === range.limit) lines.push(`Next page: --after ${rows.at(-1)?.id}`)
      return lines.join('\n')
    },
  },

  // For users who lost their password. Revokes all their sessions and tokens.
  password: {
    arguments: ['username'],
    summary: 'set a new password and end all sessions; prompts for the password',
    async run(context, login) {
      const { db, log } = context
      const user = await findUser(context, login)
      const hashedPassword = await readNewPassword(context, user)
      await db.transaction(async (tx) => {
        await lockUser(tx, user.id)
        await setPassword(context, tx, user, hashedPassword)
      })
      log.info({ event: 'password.changed', userId: user.id }, 'password changed')
      return `User ${user.username} has a new password.`
    },
  },

  // The only way to make a superuser: the API never sets the flag. The guard reads it from the row on every request.
  promote: onUser({
    summary: 'make a user a superuser',
    event: 'user.promoted',
    change: ({ db }, user) => db.transaction((tx) => updateUser(tx, user.id, { isSuperuser: true })),
    done: 'is a superuser',
  }),

  demote: onUser({
    summary: 'remove superuser rights from a user',
    event: 'user.demoted',
    change: ({ db }, user) => db.transaction((tx) => updateUser(tx, user.id, { isSuperuser: false })),
    done: 'is no longer a superuser',
  }),
} satisfies Record<string, UserCommand>

/** Aligns the columns. */
function table(rows: string[][]): string[] {
  const widths = rows[0]?.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0))) ?? []
  const align = (cell: string, column: number) => cell.padEnd(widths[column] ?? 0)
  return rows.map((row) => row.map(align).join('  ').trimEnd())
}
