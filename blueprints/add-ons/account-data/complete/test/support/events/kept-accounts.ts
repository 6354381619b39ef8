import { deleteMe } from '../account-data.ts'
import { logIn } from '../accounts.ts'
import { changeEmail } from '../change-email.ts'
import type { Actions } from '../events.ts'
import { registerVerified } from '../flows.ts'

const actions: Actions = {
  'user.not_deleted': async (app) => {
    await registerVerified(app)
    const token = await logIn(app)
    await changeEmail(app, token, 'new@example.com')
    await deleteMe(app, token)
  },
}

export default actions
