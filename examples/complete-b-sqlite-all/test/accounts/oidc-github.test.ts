import { expect, test } from 'vitest'
import { users } from '../../src/db/schema/users.ts'
import { getMe } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'
import { startServer } from '../support/http-server.ts'
import { signedIn, visit } from '../support/oidc.ts'
import { settingsOf, type TestProvider } from '../support/provider.ts'

/** A GitHub Enterprise Server on this machine: OAuth 2, and the user and their addresses from its API. */
async function appWithGithub() {
  const github = {
    user: { id: 583231, login: 'octocat' } as unknown,
    emails: [
      { email: 'old@example.com', primary: false, verified: true },
      { email: 'octocat@example.com', primary: true, verified: true },
    ] as unknown,
    token: { access_token: 'of-github', token_type: 'bearer', scope: 'read:user,user:email' } as object,
  }
  const { origin, requests } = await startServer(({ url, headers, body }, response) => {
    const isKnown = headers.authorization?.toLowerCase() === 'bearer of-github'
    const isRight = new URLSearchParams(body).get('client_secret') === 'secret of the client'
    const api = isKnown && { '/api/v3/user': github.user, '/api/v3/user/emails': github.emails }[url]
    const answer = url === '/login/oauth/access_token' && isRight ? github.token : api
    response
      .writeHead(answer ? 200 : 404, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer || {}))
  })
  const provider = {
    authorize: (location: string) => `?code=x&state=${new URL(location).searchParams.get('state')}`,
  } as TestProvider
  const app = await createTestApp(settingsOf({ origin: `${origin}/login/oauth` }, 'github'))
  return { app, provider, github, requests }
}

test('the user is found by the number that stays, and the primary address counts as verified', async () => {
  const { app, provider, github, requests } = await appWithGithub()
  const first = (await getMe(app, await signedIn(app, provider, 'github'))).json()
  expect(first).toMatchObject({ username: 'octocat', email: 'octocat@example.com', is_verified: true })
  github.user = { id: 583231, login: 'renamed' }
  expect((await getMe(app, await signedIn(app, provider, 'github'))).json()).toEqual(first)
  expect(requests.find(({ url }) => url === '/api/v3/user')?.headers['user-agent']).toBeTruthy()
})

test('another user who takes the name is somebody else', async () => {
  const { app, provider, github } = await appWithGithub()
  await signedIn(app, provider, 'github')
  github.user = { id: 7, login: 'octocat' }
  expect((await visit(app, provider, 'github')).error).toBe('account_exists')
})

test('an address that GitHub has not verified is verified by an email', async () => {
  const { app, provider, github } = await appWithGithub()
  github.emails = [{ email: 'octocat@example.com', primary: true, verified: false }]
  const accessToken = await signedIn(app, provider, 'github')
  expect((await getMe(app, accessToken)).json().is_verified).toBe(false)
})

test.each<[string, (github: Awaited<ReturnType<typeof appWithGithub>>['github']) => unknown, string]>([
  ['no primary address', (github) => (github.emails = []), 'email_missing'],
  ['an id that is a text', (github) => (github.user = { id: '583231', login: 'x' }), 'invalid_answer'],
  ['no id', (github) => (github.user = { login: 'x' }), 'invalid_answer'],
  ['the id 0', (github) => (github.user = { id: 0, login: 'x' }), 'invalid_answer'],
  [
    'an error with status 200',
    (github) => (github.token = { error: 'bad_verification_code' }),
    'invalid_answer',
  ],
])('%s gets no user', async (_name, change, error) => {
  const { app, provider, github } = await appWithGithub()
  change(github)
  expect((await visit(app, provider, 'github')).error).toBe(error)
  expect(await app.db.read.$count(users)).toBe(0)
})
