/** Programs that use generated clients as their users do. They are type-checked, and run against the service. */

/** What both programs begin with: the address of the service, and a check. */
const HEAD = `
const baseUrl = process.argv[2] ?? ''
function check(isRight: boolean, what: string): asserts isRight {
  if (!isRight) throw new Error(what)
}
`

const user = "{ username: 'alice', email: 'alice@example.com', password: 'Correct-Horse-7' }"

/** openapi-typescript and openapi-fetch. The type of \`code\` is narrow: a code that does not exist is an error. */
export const fetchUsage = (mode: 'none' | 'basic' | 'complete', profile: string): string =>
  [
    "import createClient from 'openapi-fetch'",
    "import type { paths } from './api.js'",
    HEAD,
    'const api = createClient<paths>({ baseUrl })',
    "const live = await api.GET('/health/live')",
    "check(live.data?.status === 'ok', 'live')",
    ...(mode === 'none'
      ? [
          "const added = await api.POST('/api/v1/notes', { body: { title: 'Hello', body: 'World' } })",
          "check(added.data !== undefined, 'added')",
          'const path = { id: added.data.id }',
          "const note = await api.GET('/api/v1/notes/{id}', { params: { path } })",
          "check(note.data?.title === 'Hello', 'note')",
          "const older = await api.GET('/api/v1/notes', { params: { query: { before: added.data.id } } })",
          "check(older.data?.notes.length === 0, 'older')",
          "const missing = await api.GET('/api/v1/notes/{id}', { params: { path: { id: 999 } } })",
          "check(missing.error?.code === 'not_found', 'missing')",
        ]
      : [
          `const user = ${user}`,
          "const registered = await api.POST('/api/v1/auth/register', { body: user })",
          "check(registered.data?.username === 'alice', 'register')",
          'const id: number = registered.data.id',
          "const again = await api.POST('/api/v1/auth/register', { body: user })",
          "check(again.error?.code === 'already_registered', 'again')",
          '// @ts-expect-error There is no such code.',
          "check(again.error.code !== 'already_taken', 'code')",
          'const { username, password } = user',
          "const login = await api.POST('/api/v1/auth/login', { body: { username, password } })",
          "check(login.data?.token_type === 'bearer', 'login')",
          'const headers = { authorization: `Bearer ${login.data.access_token}` }',
          "const me = await api.GET('/api/v1/users/me', { headers })",
          "check(me.data?.id === id, 'me')",
        ]),
    ...(mode === 'complete'
      ? [
          'const refresh_token: string = login.data.refresh_token',
          "const refreshed = await api.POST('/api/v1/auth/refresh', { body: { refresh_token } })",
          "check(refreshed.data !== undefined, 'refresh')",
        ]
      : []),
    ...(mode === 'complete' && profile === 'B'
      ? [
          "const devices = await api.GET('/api/v1/auth/devices', { headers })",
          "check(devices.data?.devices[0]?.is_current === true, 'devices')",
          "const ended = await api.DELETE('/api/v1/auth/devices/{id}', { headers, params: { path: { id: 999 } } })",
          "check(ended.error?.code === 'not_found', 'end')",
          "const logout = await api.POST('/api/v1/auth/logout', { headers })",
          "check(logout.response.status === 204, 'logout')",
        ]
      : []),
    '',
  ].join('\n')

/** @hey-api/openapi-ts: a function for each operationId. */
export const heyUsage = (mode: 'none' | 'basic' | 'complete', profile: string): string =>
  [
    "import * as api from './hey/index.js'",
    "import { client } from './hey/client.gen.js'",
    HEAD,
    'client.setConfig({ baseUrl })',
    "check((await api.getReadiness()).data?.status === 'ok', 'ready')",
    ...(mode === 'none'
      ? [
          "const added = await api.addNote({ body: { title: 'Hello', body: 'World' } })",
          "check(added.data !== undefined, 'added')",
          "check((await api.getNote({ path: { id: added.data.id } })).data?.title === 'Hello', 'note')",
          "check((await api.getNote({ path: { id: 999 } })).error?.code === 'not_found', 'missing')",
        ]
      : [
          `const user = ${user.replaceAll('alice', 'bob')}`,
          "check((await api.register({ body: user })).data?.username === 'bob', 'register')",
          'const { data } = await api.login({ body: { email: user.email, password: user.password } })',
          "check(data !== undefined, 'login')",
          'client.setConfig({ baseUrl, auth: data.access_token })',
          "check((await api.getCurrentUser()).data?.username === 'bob', 'me')",
          "const refused = await api.login({ body: { email: user.email, password: 'wrong' } })",
          "check(refused.error?.code === 'invalid_credentials', 'refused')",
          "const changed = await api.changeEmail({ body: { email: 'new-bob@example.com' } })",
          // In mode complete it is only a request until the new address answers.
          `check(changed.data?.${mode === 'complete' ? 'pending_email' : 'email'} === 'new-bob@example.com', 'change')`,
        ]),
    ...(mode === 'complete' && profile === 'B'
      ? ["check((await api.logout()).response?.status === 204, 'logout')"]
      : []),
    '',
  ].join('\n')
