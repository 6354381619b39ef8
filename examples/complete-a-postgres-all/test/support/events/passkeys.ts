import { eq } from 'drizzle-orm'
import { users } from '../../../src/db/schema/users.ts'
import type { Actions } from '../events.ts'
import { emailedCode } from '../made-up-factor.ts'
import { changePasskey, logInWithPasskey, registerWithPasskey, sendPasskey } from '../passkeys.ts'

const actions: Actions = {
  'passkey.added': registerWithPasskey,
  'passkey.renamed': async (app) => {
    const { accessToken, id } = await registerWithPasskey(app)
    await changePasskey(app, 'PATCH', id, accessToken, { name: 'Old phone' })
  },
  'passkey.removed': async (app) => {
    const { device, id } = await registerWithPasskey(app)
    app.clock.advance(24 * 60 * 60)
    const { accessToken } = await logInWithPasskey(app, device)
    await changePasskey(app, 'DELETE', id, accessToken)
    await changePasskey(app, 'DELETE', id, accessToken, { emailed_token: await emailedCode(app) })
  },
  'way_in.kept': async (app) => {
    const { accessToken, id } = await registerWithPasskey(app)
    const set = { hashedPassword: '!' }
    await app.db.transaction((tx) => tx.update(users).set(set).where(eq(users.username, 'alice')))
    await changePasskey(app, 'DELETE', id, accessToken)
  },
  'passkey.counter_went_back': async (app) => {
    const { device } = await registerWithPasskey(app)
    await sendPasskey(app, device, { counter: 2 })
    await sendPasskey(app, device, { counter: 1 })
  },
}

export default actions
