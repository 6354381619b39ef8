import { updateUser } from '../../accounts/users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

/** Takes effect with the next request: the guard reads the row, not the token. */
export default {
  arguments: ['username'],
  summary: 'make a superuser an ordinary user again',
  async run({ db }, login) {
    const user = await findUser(db, login)
    await db.transaction((tx) => updateUser(tx, user.id, { isSuperuser: false }))
    return `User ${user.username} is no superuser any more.`
  },
} satisfies UserCommand
