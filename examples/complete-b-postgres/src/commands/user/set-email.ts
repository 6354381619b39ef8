import { createAccess } from '../../access/access.ts'
import { restoreEmail } from '../../accounts/restore-email.ts'
import { brandVariables } from '../../appearance.ts'
import { createEmailTokens } from '../../email-tokens/email-tokens.ts'
import { endUndoTokens } from '../../email-tokens/undo-tokens.ts'
import { ApiError } from '../../errors/api-error.ts'
import { deriveKeys } from '../../keys.ts'
import { openOutbox } from '../../mail/open-outbox.ts'
import { email } from '../../schemas/user.ts'
import { rejectTakenEmail } from '../../users/emails.ts'
import { lockUser } from '../../users/users.ts'
import { checked, findUser, type UserCommand } from '../user-commands.ts'

/** For an owner who lost their mailbox, or whose address a thief changed more than 7 days ago. Check who asks first. */
export default {
  arguments: ['username', 'email'],
  summary: 'give an account to an address: ends all access and emails a reset',
  async run(context, login, address) {
    const { config, db, log, now } = context
    const newEmail = checked(email, address)
    const { id, username } = await findUser(db, login)
    const { outbox } = await openOutbox({ ...context, brand: brandVariables(config) })
    const emailTokens = createEmailTokens(config.email, deriveKeys(config.accessTokens).emailTokens, now)
    const access = createAccess({ config, db, now })
    await db.transaction(async (tx) => {
      const user = await lockUser(tx, id)
      if (!user) throw new ApiError('not_found')
      await rejectTakenEmail(tx, user, newEmail, now())
      await endUndoTokens(tx, user)
      await restoreEmail(tx, { access, config, emailTokens, now, outbox }, user, newEmail)
    })
    log.info({ event: 'user.email_set', userId: id }, 'email set')
    return `User ${username} has the address ${newEmail}. A password reset is on its way to it.`
  },
} satisfies UserCommand
