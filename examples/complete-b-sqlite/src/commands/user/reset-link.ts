import { resetMail } from '../../accounts/mails.ts'
import { createEmailTokens } from '../../email-tokens/email-tokens.ts'
import { deriveKeys } from '../../keys.ts'
import { lockUser } from '../../users/users.ts'
import { CommandError, findUser, type UserCommand } from '../user-commands.ts'

/** For users who cannot get the mail. As long as a mailed link, and revokes it: each user has one at a time. */
export default {
  arguments: ['username'],
  summary: 'print a link with which a user sets a new password',
  async run({ config, db, log, now }, login) {
    const { id } = await findUser(db, login)
    const emailTokens = createEmailTokens(config.email, deriveKeys(config.accessTokens).emailTokens, now)
    const { reset_url: link, code } = await db.transaction(async (tx) => {
      const user = await lockUser(tx, id)
      if (!user?.isActive) throw new CommandError('The user is deactivated. Activate them first.')
      // A reset verifies the address, because the token was mailed to it. With this link, a stranger's could be verified.
      if (!user.isVerified)
        throw new CommandError(
          'The user never verified an address. Check it and run "verify" first, or set a password with "password".',
        )
      const { variables } = resetMail(user, () => emailTokens.issue(tx, user, 'reset'), config)
      return typeof variables === 'function' ? variables() : variables
    })
    log.info({ event: 'password_reset.link_created', userId: id }, 'password reset link created')
    const minutes = Math.floor(config.email.resetSeconds / 60)
    const lines = [link, code && `Code: ${code}`, `Valid once, for ${minutes} minutes.`]
    return lines.filter(Boolean).join('\n')
  },
} satisfies UserCommand
