import { updateUser } from '../../users/users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

/** For users who get no mail and whose address you have checked yourself. */
export default {
  arguments: ['username'],
  summary: "mark a user's email address as verified",
  async run({ db, log }, login) {
    const user = await findUser(db, login)
    const verified = { isVerified: true, unclaimedSince: null }
    await db.transaction((tx) => updateUser(tx, user.id, verified))
    log.info({ event: 'email.verified', userId: user.id }, 'email verified')
    return `User ${user.username} is verified.`
  },
} satisfies UserCommand
