import { createAccess } from '../../access/access.ts'
import { createUserManagement } from '../../accounts/manage-users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

/** Also revokes the user's tokens. Activating the user does not restore them. */
export default {
  arguments: ['username'],
  summary: 'block a user immediately',
  async run({ config, db, log, now }, login) {
    const user = await findUser(db, login)
    await createUserManagement({ access: createAccess({ config, db, now }), db }).deactivate(user.id)
    log.info({ event: 'user.deactivated', userId: user.id }, 'user deactivated')
    return `User ${user.username} is deactivated.`
  },
} satisfies UserCommand
