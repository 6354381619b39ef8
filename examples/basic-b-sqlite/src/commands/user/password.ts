import { createAccess } from '../../access/access.ts'
import { createCredentials } from '../../passwords/credentials.ts'
import { newPassword } from '../../schemas/password.ts'
import { lockUser, updateUser } from '../../users/users.ts'
import { checked, findUser, type UserCommand } from '../user-commands.ts'

/** For users who lost their password. Revokes all their sessions and tokens. */
export default {
  arguments: ['username'],
  summary: 'set a new password and end all sessions; prompts for the password',
  async run({ db, config, now, readPassword }, login) {
    const user = await findUser(db, login)
    const password = checked(newPassword(config.credentials), await readPassword())
    const credentials = await createCredentials(config.credentials)
    const hashedPassword = await credentials.hash(password)
    await db.transaction(async (tx) => {
      await lockUser(tx, user.id)
      await updateUser(tx, user.id, { hashedPassword })
      await createAccess({ config, db, now }).endAccess(tx, user.id)
    })
    return `User ${user.username} has a new password.`
  },
} satisfies UserCommand
