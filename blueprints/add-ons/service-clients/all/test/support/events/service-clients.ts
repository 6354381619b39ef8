import type { Actions } from '../events.ts'
import {
  addOrders,
  askForToken,
  basic,
  clients,
  clientToken,
  createClient,
  postForm,
  rotate,
} from '../service-clients.ts'

const actions: Actions = {
  'client.created': (app) => createClient(app),
  'client.secret_rotated': async (app) => {
    await createClient(app)
    await rotate(app)
  },
  'client.revoked': async (app) => {
    await createClient(app)
    await clients(app, 'revoke', 'orders')
  },
  'client.token_issued': async (app) => askForToken(app, await createClient(app)),
  'client.refused': async (app) => askForToken(app, 'wrong'),
  'client.scope_refused': async (app) => {
    const headers = basic('orders', await createClient(app))
    await postForm(app, 'grant_type=client_credentials&scope=admin', headers)
  },
  'client.scope_missing': async (app) => {
    const ask = addOrders(app)
    await ask(await clientToken(app, await createClient(app, 'orders', 'other')))
  },
}

export default actions
