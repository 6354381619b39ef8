import { bearer, changeUser } from '../accounts.ts'
import type { TestApp } from '../app.ts'
import { type Actions, loggedIn } from '../events.ts'

async function superuser(app: TestApp) {
  const { id, token } = await loggedIn(app)
  await changeUser(app, id, { isSuperuser: true })
  return { id, headers: bearer(token) }
}

const url = '/api/v1/admin/users'

const actions: Actions = {
  'deactivation.refused': async (app) => {
    const { id, headers } = await superuser(app)
    await app.inject({ method: 'POST', url: `${url}/${id}/deactivate`, headers })
  },
  'users.listed': async (app) => app.inject({ url, headers: (await superuser(app)).headers }),
  'user.read': async (app) => {
    const { id, headers } = await superuser(app)
    await app.inject({ url: `${url}/${id}`, headers })
  },
}

export default actions
