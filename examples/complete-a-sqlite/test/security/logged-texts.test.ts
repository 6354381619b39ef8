import { expect, test } from 'vitest'
import { loadUserCommands, runUserCommand } from '../../src/commands/user-commands.ts'
import { logIn, register } from '../support/accounts.ts'
import { createTestApp } from '../support/app.ts'

interface Schema {
  properties?: Record<string, { format?: string }>
  anyOf?: Schema[]
}

type Paths = Record<
  string,
  Record<string, { requestBody?: { content: { 'application/json': { schema: Schema } } } }>
>

const marker = 'Marker4711'

/** Of a user. No password here contains it: it could be refused. */
const markedName = `${marker}x`

/** A text of a user for each field: as valid as it can be, and with the marker. */
const marked = (name: string, format?: string) => {
  if (format === 'email' || name === 'email') return `${markedName}@${marker}.example`
  return name.includes('password') ? `${marker}-${name}-A!` : markedName
}

const hasMarker = (line: string) => line.toLowerCase().includes(marker.toLowerCase())

// A reader of the log, or of a copy of it, would learn names, addresses and tokens.
test('no log line contains a text of a user, whatever endpoint they send it to', async () => {
  const lines: string[] = []
  const logger = { level: 'trace', stream: { write: (line: string) => void lines.push(line) } }
  const app = await createTestApp({ DOCS_ENABLED: 'true', RATE_LIMIT_ENABLED: 'false' }, logger)
  await app.ready()
  const paths = JSON.parse(JSON.stringify(app.swagger())).paths as Paths
  const endpoints = Object.entries(paths).flatMap(([url, methods]) =>
    Object.entries(methods).flatMap(([method, { requestBody }]) => {
      const schema = requestBody?.content['application/json'].schema
      const properties = schema?.properties ?? schema?.anyOf?.[0]?.properties ?? {}
      return [{ url, method: method.toUpperCase() as 'GET' | 'POST', properties: Object.entries(properties) }]
    }),
  )
  expect(endpoints.length).toBeGreaterThan(3)

  for (const [index, { url, method, properties }] of endpoints.entries()) {
    const valid = Object.fromEntries(properties.map(([name, { format }]) => [name, marked(name, format)]))
    const single = properties.map(([name]) => ({ ...valid, [name]: undefined }))
    const bodies = [valid, ...single, { ...valid, [marker]: marker }, { [marker]: { [marker]: [marker] } }]
    const { username } = await register(app, `${marker}-${index}`, marked('current_password'))
    const token = await logIn(app, username, marked('current_password'))
    for (const body of [...bodies, `{"${marker}`])
      for (const authorization of [`Bearer ${token}`, `Bearer ${marker}`, marker])
        await app.inject({
          method,
          url: `${url}?${marker}=${marker}`,
          headers: {
            authorization,
            'content-type': 'application/json',
            'user-agent': marker,
            'x-forwarded-for': marker,
            'x-request-id': marker,
            cookie: marker,
            referer: marker,
          },
          ...(method !== 'GET' && { payload: typeof body === 'string' ? body : JSON.stringify(body) }),
        })
  }
  expect(lines.length).toBeGreaterThan(endpoints.length * 9)
  expect(lines.filter(hasMarker)).toEqual([])
})

test('no log line of a command contains its arguments or the password', async () => {
  const lines: string[] = []
  const logger = { level: 'trace', stream: { write: (line: string) => void lines.push(line) } }
  const { db, config, log, now } = await createTestApp({}, logger)
  const commands = await loadUserCommands()
  const readPassword = async () => marked('password')
  const user = (...args: string[]) => runUserCommand(commands, args, { db, config, log, now, readPassword })
  await user('create', markedName, marked('email'))
  await user('deactivate', markedName)
  await expect(user('create', markedName, marked('email'))).rejects.toThrow('already registered')
  await expect(user('deactivate', `${marker}-nobody`)).rejects.toThrow('no user')
  expect(lines).toHaveLength(2)
  expect(lines.filter(hasMarker)).toEqual([])
})
