import { updateUser } from '../../users/users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

/** Takes effect on the next request: the guard reads the row, not the token. */
export default {
  arguments: ['username'],
  summary: 'remove superuser rights from a user',
  async run({ db, log }, login) {
    const user = await findUser(db, login)
    await db.transaction((tx) => updateUser(tx, user.id, { isSuperuser: false }))
    log.info({ event: 'user.demoted', userId: user.id }, 'user demoted')
    return `User ${user.username} is no longer a superuser.`
  },
} satisfies UserCommand
