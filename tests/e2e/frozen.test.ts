import { mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { beforeAll, describe, expect, inject } from 'vitest'
import { succeed } from '../support/command.ts'
import { frozenProject } from '../support/frozen-projects.js'
import { freePort } from '../support/port.js'
import { startMailServer } from './harness/mail-server.ts'
import { startService } from './harness/service.ts'
import { steps } from './harness/steps.ts'
import { decodeToken } from './harness/token.ts'
import {
  auth,
  logIn,
  mailSettings,
  meStatus,
  NEW_PASSWORD,
  newSession,
  refresh,
  subjects,
  type Tokens,
  tokenIn,
  tokensIn,
} from './suites/complete-context.ts'
import { untilLogged } from './suites/complete-worker.ts'
import { livingProject } from './suites/living.ts'

/** Access tokens must outlive the update on a busy machine. */
const LONG_TOKENS = { JWT_ACCESS_TOKEN_EXPIRATION: '86400' }

/** A service of version 0.1.0 with users and edits becomes one of this version. Each step needs the previous ones. */
describe('a service of version 0.1.0', () => {
  const step = steps()
  const directory = join(mkdtempSync(join(inject('scratch'), 'frozen-')), 'my-api')
  const { npm, regenerate } = livingProject(() => ({ directory }))
  const write = (path: string, text: string) => {
    mkdirSync(dirname(join(directory, path)), { recursive: true })
    writeFileSync(join(directory, path), text)
  }
  const edit = (path: string, before: string, after: string) => {
    const text = readFileSync(join(directory, path), 'utf8')
    expect(text).toContain(before)
    write(path, text.replace(before, after))
  }
  const sessions: Record<string, Tokens> = {}

  beforeAll(async () => {
    for (const [path, text] of Object.entries(frozenProject('0.1.0', 'complete-b-sqlite'))) write(path, text)
    await npm('install', '--no-audit', '--no-fund')
    await npm('run', 'build')
  })

  step('users register and log in while the mail server is down', async () => {
    const mail = mailSettings('B', { port: await freePort() })
    const service = await startService({ cwd: directory, env: { ...mail, ...LONG_TOKENS } })
    for (const name of ['alice', 'bob']) sessions[name] = await newSession(service, name)
    expect((await service.post(auth('forgot-password'), { email: 'bob@example.com' })).status).toBe(202)
    await untilLogged([service], 'mail.failed', 3)
    await service.stop()
  })

  step('the update keeps each edit, or names the file that it is in', async () => {
    await succeed('git', ['init', '--quiet'], { cwd: directory })
    edit('src/accounts/claims.ts', '  user_id: user.id,\n', "  user_id: user.id,\n  tenant: 'acme',\n")
    edit('src/plugins/request-log.ts', '        address: ', "        by: 'acme',\n        address: ")
    edit(
      'src/accounts/names.ts',
      'usernamePattern.test(text)',
      "usernamePattern.test(text) && text !== 'acme'",
    )
    edit('emails/welcome.txt', 'Your account is ready.', 'Your account at Acme is ready.')
    edit('package.json', '"start":', '"acme": "echo acme",\n    "start":')
    write('src/routes/api/v1/acme.ts', OWN_ROUTE)
    const { stdout } = await regenerate()
    expect(stdout).toContain('create-authsmith 0.1.0 → ')
    expect(stdout).toContain(
      '  merged with your changes: src/access/claims.ts (moved from src/accounts/claims.ts',
    )
    expect(stdout).toMatch(
      /^ {2}src\/accounts\/names\.ts: kept.*; its code is now in src\/users\/names\.ts$/m,
    )
    expect(stdout).toMatch(/^ {2}no longer generated, yours now: emails\/welcome\.txt/m)
    expect(readFileSync(join(directory, 'src/accounts/names.ts'), 'utf8')).toContain("text !== 'acme'")
    expect((await npm('run', 'acme')).stdout).toContain('\nacme\n')
    await npm('run', 'check')
    await npm('run', 'build')
  })

  step('sessions, passwords, edits and waiting mails work', async () => {
    const mailServer = await startMailServer(directory)
    const env = { ...mailSettings('B', mailServer), ...LONG_TOKENS }
    const service = await startService({ cwd: directory, env })
    for (const [name, tokens] of Object.entries(sessions)) {
      expect(await meStatus(service, tokens.access)).toBe(200)
      sessions[name] = tokensIn(await refresh(service, tokens.refresh))
    }
    const { access } = tokensIn(await logIn(service, 'alice'))
    expect(decodeToken(access).payload).toMatchObject({ sub: 'alice', tenant: 'acme' })
    expect((await service.get('/api/v1/acme', { token: access })).body).toEqual({ name: 'alice' })
    expect(service.running.output()).toContain('"by":"acme"')

    const verification = await mailServer.next('alice@example.com', subjects.B.verification)
    const token = tokenIn('B', 'verification', verification)
    expect((await service.post(auth('verify-email'), { token })).status).toBe(200)
    const welcome = ({ to, text }: { to: string; text: string }) =>
      to === 'alice@example.com' && text.includes('Your account at Acme is ready.')
    await mailServer.until('the welcome mail', () => mailServer.received.some(welcome))

    const code = tokenIn('B', 'reset', await mailServer.next('bob@example.com', subjects.B.reset))
    const reset = await service.post(auth('reset-password'), { token: code, new_password: NEW_PASSWORD })
    expect(reset.status).toBe(200)
    tokensIn(await logIn(service, 'bob', NEW_PASSWORD))
    await service.stop()
    await mailServer.stop()
  })
})

const OWN_ROUTE = `import type { FastifyPluginAsyncZod } from 'fastify-type-provider-zod'
import { z } from 'zod'
import { problemResponses } from '../../../schemas/problem.ts'

export default (async (app) => {
  app.get(
    '/acme',
    {
      onRequest: app.requireUser,
      schema: { response: { 200: z.object({ name: z.string() }), ...problemResponses('not_authenticated') } },
    },
    async (request) => ({ name: request.user.username }),
  )
}) satisfies FastifyPluginAsyncZod
`
