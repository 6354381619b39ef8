import { resetEmail } from '../../accounts/emails.ts'
import { restoreEmail } from '../../accounts/restore-email.ts'
import { revokeUndoTokens } from '../../email/change-tokens.ts'
import { createEmailToken, replaceEmailToken } from '../../email/tokens.ts'
import { ApiError } from '../../errors/api-error.ts'
import { email } from '../../schemas/user.ts'
import { rejectTakenEmail } from '../../users/emails.ts'
import { lockUser, updateUser } from '../../users/users.ts'
import { CommandError, checked, findUser, onUser, type UserCommand } from '../user-commands.ts'

export default {
  // For users who cannot get the email. Valid as long as an emailed link, and revokes it: each user has one at a time.
  'reset-link': {
    arguments: ['username'],
    summary: 'print a link with which a user sets a new password',
    async run(ctx, login) {
      const { config, db, log } = ctx
      const { id } = await findUser(ctx, login)
      const { reset_url: link, code } = await db.transaction(async (tx) => {
        const user = await lockUser(tx, id)
        if (!user?.isActive) throw new CommandError('The user is deactivated. Activate them first.')
        // A reset verifies the address, because the token was emailed to it. With this link, a stranger's could be verified.
        if (!user.isVerified)
          throw new CommandError(
            'The user never verified an address. Check it and run "verify" first, or set a password with "password".',
          )
        const { text, hash } = createEmailToken(ctx.keys.emailTokens)
        await replaceEmailToken(ctx, tx, user, 'reset', hash)
        return resetEmail(user, text, config).variables
      })
      log.info({ event: 'password_reset.link_created', userId: id }, 'password reset link created')
      const minutes = Math.floor(config.email.resetSeconds / 60)
      const lines = [link, code && `Code: ${code}`, `Valid once, for ${minutes} minutes.`]
      return lines.filter(Boolean).join('\n')
    },
  },

  // For an owner who lost their mailbox, or whose address a thief changed more than 7 days ago. Check who asks first.
  'set-email': {
    arguments: ['username', 'email'],
    summary: 'give an account to an address: ends all access and emails a reset',
    async run(ctx, login, address) {
      const newEmail = checked(email, address)
      const { id, username } = await findUser(ctx, login)
      await ctx.db.transaction(async (tx) => {
        const user = await lockUser(tx, id)
        if (!user) throw new ApiError('not_found')
        await rejectTakenEmail(tx, user, newEmail, ctx.now())
        await revokeUndoTokens(tx, user)
        await restoreEmail(ctx, tx, user, newEmail)
      })
      ctx.log.info({ event: 'user.email_set', userId: id }, 'email set')
      return `User ${username} has the address ${newEmail}. A password reset is on its way to it.`
    },
  },

  // For users who get no email and whose address you have checked yourself.
  verify: onUser({
    summary: "mark a user's email address as verified",
    event: 'email.verified',
    change: ({ db }, user) =>
      db.transaction((tx) => updateUser(tx, user.id, { isVerified: true, unclaimedSince: null })),
    done: 'is verified',
  }),
} satisfies Record<string, UserCommand>
