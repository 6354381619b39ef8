import { updateUser } from '../../users/users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

/** The only way to make a superuser: the API never sets the flag. */
export default {
  arguments: ['username'],
  summary: 'make a user a superuser',
  async run({ db, log }, login) {
    const user = await findUser(db, login)
    await db.transaction((tx) => updateUser(tx, user.id, { isSuperuser: true }))
    log.info({ event: 'user.promoted', userId: user.id }, 'user promoted')
    return `User ${user.username} is a superuser.`
  },
} satisfies UserCommand
