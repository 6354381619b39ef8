import { updateUser } from '../../accounts/users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

/** For a user whose address you know to be his, where no mail reaches him. */
export default {
  arguments: ['username'],
  summary: "mark a user's email address as verified",
  async run({ db }, login) {
    const user = await findUser(db, login)
    await db.transaction((tx) => updateUser(tx, user.id, { isVerified: true }))
    return `User ${user.username} is verified.`
  },
} satisfies UserCommand
