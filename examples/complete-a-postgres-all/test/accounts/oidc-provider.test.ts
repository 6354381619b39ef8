import { expect, onTestFinished, test } from 'vitest'
import { startProvider } from '../../dev/provider/server.ts'
import { loadConfig } from '../../src/config.ts'
import { routeOf } from '../../src/oidc/providers.ts'
import { getMe } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { tokensIn } from '../support/flows.ts'
import {
  callback,
  challengeOf,
  cookieOf,
  createVerifier,
  exchange,
  fragmentOf,
  locationOf,
  open,
} from '../support/oidc.ts'
import { clientId, clientSecret, settingsOf } from '../support/provider.ts'
import { testSettings } from '../support/settings.ts'

/** A browser at the provider: keeps its cookies, and chooses a user. @returns where it is sent back */
async function chooseAt(start: string, user: string): Promise<string> {
  const cookies = new Map<string, string>()
  let address = start
  for (let step = 0; step < 8; step += 1) {
    const url = new URL(address)
    if (url.pathname.endsWith('/callback')) return address
    if (url.pathname.startsWith('/choose/')) url.searchParams.set('as', user)
    const cookie = [...cookies].map((pair) => pair.join('=')).join('; ')
    const answer = await fetch(url, { redirect: 'manual', headers: { cookie } })
    for (const given of answer.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(given) ?? []
      cookies.set(name, value)
    }
    address = new URL(answer.headers.get('location') ?? '', url).href
  }
  throw new Error(`The provider leads to ${address}`)
}

test('the users of oidc-provider sign in, or cancel', async () => {
  const redirectUri = routeOf(loadConfig(testSettings), 'dev', '/callback')
  const client = { id: clientId, secret: clientSecret }
  const { origin, server } = await startProvider({ port: 0, client, redirectUri })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const app = await createTestApp({ ...settingsOf({ origin }, 'dev'), OIDC_DEV_EMAIL_TRUSTED: 'true' })
  const denied = await open(app, { code_challenge: challengeOf('') }, 'dev')
  const { search } = new URL(await chooseAt(locationOf(denied), ''))
  expect(fragmentOf(await callback(app, search, cookieOf(denied), 'dev'))).toEqual({ error: 'access_denied' })
  for (const user of ['olga', 'pavel', 'olga']) {
    const verifier = createVerifier()
    const started = await open(app, { code_challenge: challengeOf(verifier) }, 'dev')
    const back = new URL(await chooseAt(locationOf(started), user))
    const { code } = fragmentOf(await callback(app, back.search, cookieOf(started), 'dev'))
    const { accessToken } = tokensIn(await exchange(app, code, verifier))
    expect((await getMe(app, accessToken)).json()).toMatchObject({
      username: user,
      email: `${user}@example.com`,
      is_verified: user === 'olga',
    })
  }
})
