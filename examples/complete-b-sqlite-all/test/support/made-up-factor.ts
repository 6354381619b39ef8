import { onTestFinished } from 'vitest'
import { lockCaller } from '../../src/sessions/caller.ts'
import { recordFactor, requireEmailedToken, takeEmailedToken } from '../../src/sign-in/enrolments.ts'
import { type Factor, factors } from '../../src/sign-in/factors.ts'
import { completeMfa } from '../../src/sign-in/pending-logins.ts'
import { createTestApp, type TestApp } from './app.ts'
import { post, registerVerified, startSession } from './flows.ts'
import { emailsTo } from './mailbox.ts'

/** What the made-up factor accepts, as often as it is sent. */
export const rightCode = 'open sesame'

/** Adds a factor for the rest of the test, as a file in src/factors/ does. @returns who has it, and since when */
export function addFactor(asks = true): Map<number, Date> {
  const owners = new Map<number, Date>()
  const factor: Factor = {
    name: 'made_up',
    title: 'a made-up factor',
    asks,
    count: async (_db, userId, since) => Number((owners.get(userId) ?? 0) >= (since ?? new Date(1))),
    state: () => ({}),
    acceptCode: async (_ctx, _tx, userId, code) => owners.has(userId) && code === rightCode,
    async remove(_tx, userId, since) {
      const addedAt = owners.get(userId)
      return addedAt !== undefined && (!since || addedAt >= since) && owners.delete(userId)
    },
  }
  factors.push(factor)
  onTestFinished(() => void factors.splice(factors.indexOf(factor), 1))
  return owners
}

/** Adds POST auth/mfa to a project without an add-on that brings it. */
function addMfa(app: TestApp): void {
  const url = '/api/v1/auth/mfa'
  if (app.hasRoute({ method: 'POST', url })) return
  app.post<{ Body: { mfa_token: string; code?: string } }>(
    url,
    { onRequest: app.limitRequests },
    async ({ body: { mfa_token, code }, ip: address }) =>
      (await completeMfa(app.ctx, mfa_token, { code, address })).tokens,
  )
}

/** Adds a route that enrols the made-up factor, as those of real factors do. */
export function addEnrolment(app: TestApp, owners: Map<number, Date>): void {
  app.post<{ Body: { emailed_token?: string } }>(
    '/api/v1/auth/enrol',
    { onRequest: app.requireUser },
    async ({ body, caller }) => {
      const emailed = await requireEmailedToken(app.ctx, caller, body.emailed_token)
      return app.db.transaction(async (tx) => {
        const user = await lockCaller(app.ctx, tx, caller)
        await takeEmailedToken(app.ctx, tx, user, caller, emailed)
        owners.set(user.id, new Date(app.now()))
        await recordFactor(tx, caller, 'made')
        return {}
      })
    },
  )
}

/** An app with the made-up factor, and the route that enrols it. */
export async function appWithEnrolment() {
  const app = await createTestApp()
  const owners = addFactor()
  addEnrolment(app, owners)
  return { app, owners }
}

/** Registers a verified user who has the made-up factor. */
export async function registerWithFactor(app: TestApp, owners: Map<number, Date>, username = 'alice') {
  addMfa(app)
  const user = await registerVerified(app, username)
  const { accessToken } = await startSession(app, username)
  owners.set(user.id, new Date(app.now()))
  return { ...user, accessToken }
}

/** The body of an answer that asks for a second factor. */
export function pendingIn({ statusCode, body }: Awaited<ReturnType<typeof post>>) {
  const pending: { code: string; mfa_token: string; expires_in: number; factors: string[] } = JSON.parse(body)
  if (statusCode !== 401 || pending.code !== 'mfa_required') throw new Error(`${statusCode}: ${body}`)
  return pending
}

/** POST auth/mfa with the made-up factor. */
export function sendCode(app: TestApp, mfaToken: string, code = rightCode) {
  addMfa(app)
  return post(app, 'mfa', { mfa_token: mfaToken, code })
}

/** The newest code that was emailed for a new factor. */
export async function emailedCode(app: TestApp, address?: string) {
  const emails = await emailsTo(app, address)
  return emails.findLast(({ template }) => template === 'emailed_token')?.variables.code ?? ''
}
