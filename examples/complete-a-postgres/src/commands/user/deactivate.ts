import { endAccess } from '../../accounts/access.ts'
import { lockUser, updateUser } from '../../accounts/users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

/** The user cannot log in any more, and the tokens that he has are void for good: an activation does not revive them. */
export default {
  arguments: ['username'],
  summary: 'lock a user out, at once',
  async run({ db, now }, login) {
    const user = await findUser(db, login)
    await db.transaction(async (tx) => {
      await lockUser(tx, user.id)
      await updateUser(tx, user.id, { isActive: false })
      await endAccess(tx, user.id, now())
    })
    return `User ${user.username} is deactivated.`
  },
} satisfies UserCommand
