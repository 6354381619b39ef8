import { z } from 'zod'
import { createCredentials } from '../../passwords/credentials.ts'
import { newPassword } from '../../schemas/password.ts'
import { email, username } from '../../schemas/user.ts'
import { insertUser } from '../../users/users.ts'
import { checked, orCommandError, type UserCommand } from '../user-commands.ts'

export default {
  arguments: ['username', 'email'],
  summary: 'create a user; prompts for the password',
  async run({ db, config, now, readPassword }, name, address) {
    const account = checked(z.object({ username, email }), { username: name, email: address })
    const password = checked(newPassword(config.credentials), await readPassword())
    const credentials = await createCredentials(config.credentials)
    const hashedPassword = await credentials.hash(password)
    const user = await orCommandError(
      db.transaction((tx) => insertUser(tx, { ...account, hashedPassword }, now())),
    )
    return `Created user ${user.username} (id ${user.id}).`
  },
} satisfies UserCommand
