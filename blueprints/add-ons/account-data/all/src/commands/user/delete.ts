import { deleteUser } from '../../accounts/delete-user.ts'
import { lockUser } from '../../users/users.ts'
import { CommandError, findUser, type UserCommand } from '../user-commands.ts'

/** Deletes all that belongs to the user too, such as rows of your tables with `onDelete: 'cascade'`. */
const command = {
  arguments: ['username'],
  options: { yes: { type: 'boolean' } },
  summary: 'delete a user and all that belongs to them, with --yes',
  async run(context, login) {
    const { db, log, options } = context
    const { id, username, email } = await findUser(context, login)
    if (options.yes !== true)
      throw new CommandError(
        `This deletes the user ${username} (id ${id}, ${email}) and all that belongs to them. It cannot be undone. Only a keyed hash of the username stays, so that no one can register it again. Repeat the command with --yes.`,
      )
    await db.transaction(async (tx) => {
      const user = await lockUser(tx, id)
      if (user) await deleteUser(context, tx, user)
    })
    log.info({ event: 'user.deleted', userId: id }, 'user deleted')
    return `Deleted user ${username} (id ${id}).`
  },
} satisfies UserCommand

export default { delete: command }
