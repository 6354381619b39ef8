import { updateUser } from '../../users/users.ts'
import { onUser, type UserCommand } from '../user-commands.ts'

/** Both take effect on the next request: the guard reads the row, not the token. */
export default {
  demote: onUser({
    summary: 'remove superuser rights from a user',
    event: 'user.demoted',
    change: ({ db }, user) => db.transaction((tx) => updateUser(tx, user.id, { isSuperuser: false })),
    done: 'is no longer a superuser',
  }),

  // The only way to make a superuser: the API never sets the flag.
  promote: onUser({
    summary: 'make a user a superuser',
    event: 'user.promoted',
    change: ({ db }, user) => db.transaction((tx) => updateUser(tx, user.id, { isSuperuser: true })),
    done: 'is a superuser',
  }),
} satisfies Record<string, UserCommand>
