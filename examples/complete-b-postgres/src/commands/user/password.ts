import { endAccess } from '../../accounts/access.ts'
import { createCredentials } from '../../accounts/credentials.ts'
import { lockUser, updateUser } from '../../accounts/users.ts'
import { newPassword } from '../../schemas/password.ts'
import { checked, findUser, type UserCommand } from '../user-commands.ts'

/** For a user who lost his password. Whoever holds a token of his is out at once. */
export default {
  arguments: ['username'],
  summary: 'set a new password and end all sessions; asks for the password',
  async run({ db, config, now, readPassword }, login) {
    const user = await findUser(db, login)
    const password = checked(newPassword(config.credentials), await readPassword())
    const credentials = await createCredentials(config.credentials)
    const hashedPassword = await credentials.hash(password)
    await db.transaction(async (tx) => {
      await lockUser(tx, user.id)
      await updateUser(tx, user.id, { hashedPassword })
      await endAccess(tx, user.id, now())
    })
    return `User ${user.username} has a new password.`
  },
} satisfies UserCommand
