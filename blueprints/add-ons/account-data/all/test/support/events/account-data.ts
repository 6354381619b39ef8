import { deleteMe, getExport } from '../account-data.ts'
import { type Actions, loggedIn } from '../events.ts'

const actions: Actions = {
  'user.exported': async (app) => getExport(app, (await loggedIn(app)).token),
  'user.deleted': async (app) => deleteMe(app, (await loggedIn(app)).token),
}

export default actions
