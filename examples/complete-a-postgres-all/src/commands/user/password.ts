import { createAccess } from '../../access/access.ts'
import { forgetClients } from '../../limits/familiar-clients.ts'
import { forgetLogins } from '../../limits/login-limit.ts'
import { canonicalLogin } from '../../users/names.ts'
import { lockUser, updateUser } from '../../users/users.ts'
import { findUser, orCommandError, readNewPassword, type UserCommand } from '../user-commands.ts'

/** For users who lost their password. Revokes all their sessions and tokens. */
export default {
  arguments: ['username'],
  summary: 'set a new password and end all sessions; prompts for the password',
  async run(context, login) {
    const { config, db, log, now } = context
    const user = await findUser(db, login)
    const hashedPassword = await orCommandError(readNewPassword(context, user))
    await db.transaction(async (tx) => {
      await lockUser(tx, user.id)
      await updateUser(tx, user.id, { hashedPassword })
      await forgetLogins(tx, user.id, [canonicalLogin(user.username), user.email])
      await forgetClients(tx, user.id)
      await createAccess({ config, db, now }).endAccess(tx, user.id)
    })
    log.info({ event: 'password.changed', userId: user.id }, 'password changed')
    return `User ${user.username} has a new password.`
  },
} satisfies UserCommand
