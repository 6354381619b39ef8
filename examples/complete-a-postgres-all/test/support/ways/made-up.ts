import { openSession } from '../../../src/accounts/log-in.ts'
import { tokenResponse } from '../../../src/schemas/user.ts'
import { lockUser } from '../../../src/users/users.ts'
import type { TestApp } from '../app.ts'
import { post } from '../flows.ts'
import type { Way } from '../ways.ts'

/** Believes every user id, as a provider's answer would be believed. */
function addRoute(app: TestApp): void {
  const schema = { response: { 200: tokenResponse } }
  app.post<{ Body: { id: number } }>('/api/v1/auth/made-up', { schema }, async ({ body, ip: address }) => {
    const opened = await app.db.transaction(async (tx) => {
      const user = await lockUser(tx, body.id)
      if (!user) throw new Error('There is no such user')
      return openSession(app.ctx, tx, { user, client: { address }, amr: 'made' })
    })
    if ('refused' in opened) throw opened.refused
    return opened.tokens
  })
}

export default {
  name: 'a made-up way',
  prepare: addRoute,
  begin: (app, id) => post(app, 'made-up', { id }),
  amr: ['made'],
  refusal: 'invalid_credentials',
} satisfies Way
