import { resealSecrets } from '../../../src/totp/secrets.ts'
import { logIn } from '../accounts.ts'
import type { Actions } from '../events.ts'
import { post, registerVerified } from '../flows.ts'
import { codeOf, registerWithTotp, setUp } from '../totp.ts'

const actions: Actions = {
  'totp.set_up': async (app) => {
    await registerVerified(app)
    await setUp(app, await logIn(app))
  },
  'totp.turned_on': registerWithTotp,
  'totp.already_on': async (app) => {
    const { accessToken } = await registerWithTotp(app)
    await post(app, 'totp/setup', undefined, accessToken)
  },
  'recovery_codes.created': async (app) => {
    const { accessToken, secret } = await registerWithTotp(app)
    await post(app, 'recovery-codes', { code: codeOf(app, secret) }, accessToken)
  },
  'totp.resealed': async ({ ctx }) => {
    const accessTokens = { ...ctx.config.accessTokens, previousSecrets: [ctx.config.accessTokens.secret] }
    await resealSecrets({ ...ctx, config: { ...ctx.config, accessTokens } })
  },
  'totp.turned_off': async (app) => {
    const { accessToken, secret } = await registerWithTotp(app)
    await post(app, 'totp/disable', { code: codeOf(app, secret) }, accessToken)
  },
}

export default actions
