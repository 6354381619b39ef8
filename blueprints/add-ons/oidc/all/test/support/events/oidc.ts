import { register } from '../accounts.ts'
import type { Actions } from '../events.ts'
import { registerVerified, startSession } from '../flows.ts'
import { emailedCode } from '../made-up-factor.ts'
import {
  askForEmailed,
  challengeOf,
  link,
  open,
  registerLinked,
  removeIdentity,
  signedIn,
  visit,
} from '../oidc.ts'
import { settingsOf, startProvider } from '../provider.ts'

// The test files of a worker share this module: it ends with the worker.
const provider = await startProvider(() => {})

export const env = settingsOf(provider)

const actions: Actions = {
  'oidc.refused': async (app) => {
    await register(app, 'olga')
    await visit(app, provider)
  },
  'oidc.provider_unavailable': async (app) => {
    provider.lies.respond = (_request, response) => Boolean(response.writeHead(503).end())
    await open(app, { code_challenge: challengeOf('') })
    provider.lies = {}
  },
  'identity.added': (app) => registerLinked(app, provider),
  'identity.refused': async (app) => {
    await registerLinked(app, provider, 'bob')
    await registerVerified(app)
    const { accessToken } = await startSession(app)
    await link(app, provider, accessToken, { emailed_token: await askForEmailed(app, accessToken) })
  },
  'identity.removed': async (app) => {
    await registerLinked(app, provider)
    app.clock.advance(24 * 60 * 60)
    const accessToken = await signedIn(app, provider)
    await removeIdentity(app, 1, accessToken)
    await removeIdentity(app, 1, accessToken, { emailed_token: await emailedCode(app) })
  },
}

export default actions
