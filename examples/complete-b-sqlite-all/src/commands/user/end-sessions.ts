import { createAccess } from '../../access/access.ts'
import { createUserManagement } from '../../accounts/manage-users.ts'
import { findUser, type UserCommand } from '../user-commands.ts'

/** For a lost device or a stolen token. The user stays active and keeps their password. */
export default {
  arguments: ['username'],
  summary: 'log a user out everywhere',
  async run({ config, db, log, now }, login) {
    const user = await findUser(db, login)
    await createUserManagement({ access: createAccess({ config, db, now }), db }).endSessions(user.id)
    log.info({ event: 'sessions.ended', userId: user.id }, 'sessions ended')
    return `User ${user.username} is logged out everywhere.`
  },
} satisfies UserCommand
