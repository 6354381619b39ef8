import { updateUser } from '../../users/users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

export default {
  arguments: ['username'],
  summary: 'let a deactivated user log in again',
  async run({ db, log }, login) {
    const user = await findUser(db, login)
    await db.transaction((tx) => updateUser(tx, user.id, { isActive: true }))
    log.info({ event: 'user.activated', userId: user.id }, 'user activated')
    return `User ${user.username} is active.`
  },
} satisfies UserCommand
