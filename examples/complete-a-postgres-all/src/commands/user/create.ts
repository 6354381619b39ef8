import { z } from 'zod'
import { email, username } from '../../schemas/user.ts'
import { insertUser } from '../../users/users.ts'
import { checked, readNewPassword, type UserCommand } from '../user-commands.ts'

export default {
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
} satisfies UserCommand
