import { createAccess } from '../../access/access.ts'
import { createUserManagement } from '../../accounts/manage-users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

export default {
  arguments: ['username'],
  summary: 'let a deactivated user log in again',
  async run({ config, db, log, now }, login) {
    const user = await findUser(db, login)
    await createUserManagement({ access: createAccess({ config, db, now }), db }).activate(user.id)
    log.info({ event: 'user.activated', userId: user.id }, 'user activated')
    return `User ${user.username} is active.`
  },
} satisfies UserCommand
