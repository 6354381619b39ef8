import { expect, test } from 'vitest'
import { type Client, problem } from '../harness/client.ts'
import { inComplete, LOGIN, loggedIn, ME, PASSWORD, userFields, type Variant } from './accounts.ts'

/** PUT users/me, and the fields that no client may set. */
export function emailChangeSuite(variant: Variant, service: () => Client): void {
  const isComplete = variant.mode === 'complete'

  test('the new email is in lower case, and is for the login once it has changed', async () => {
    const { id, token } = await loggedIn(service(), 'mover')
    const [old, next] = ['mover@example.com', 'new.mover@example.com']
    const changed = await service().put(ME, { email: 'New.Mover@Example.com' }, { token })
    expect(changed.status).toBe(200)
    // In mode complete, it changes when the new address answers.
    const email = isComplete ? old : next
    const pending = inComplete(variant, { pending_email: next })
    expect(changed.body).toMatchObject({ id, email, username: 'mover', ...pending })
    const fields = [...userFields(variant), ...Object.keys(pending)].sort()
    expect(Object.keys(changed.body).sort()).toEqual(fields)
    expect((await service().get(ME, { token })).body).toEqual(changed.body)
    const login = (email: string) => service().post(LOGIN, { email, password: PASSWORD })
    expect((await login(old)).status).toBe(isComplete ? 200 : 401)
    expect((await login(next)).status).toBe(isComplete ? 401 : 200)
  })

  test('the same email again gets 200 and changes nothing', async () => {
    const { token } = await loggedIn(service(), 'stayer')
    const before = await service().get(ME, { token })
    // It cancels a change that waits.
    if (isComplete) await service().put(ME, { email: 'gone@example.com' }, { token })
    const same = await service().put(ME, { email: 'Stayer@example.com' }, { token })
    expect(same.status).toBe(200)
    expect(same.body).toEqual(before.body)
    expect((await service().get(ME, { token })).body).toEqual(before.body)
  })

  test("another user's email gets 409 and changes nothing", async () => {
    await loggedIn(service(), 'owner')
    const { token } = await loggedIn(service(), 'thief')
    const answer = await service().put(ME, { email: 'OWNER@example.com' }, { token })
    expect(answer.body).toEqual(
      problem(409, 'Email or username already registered', 'already_registered', ME),
    )
    expect((await service().get(ME, { token })).body.email).toBe('thief@example.com')
  })

  test('a wrong current password gets 403 invalid_credentials', async () => {
    const { token } = await loggedIn(service(), 'careful')
    const change = (current_password: string) =>
      service().put(ME, { email: 'careful.too@example.com', current_password }, { token })
    expect((await change('Wrong-Horse-7')).body).toEqual(
      problem(403, 'Invalid credentials', 'invalid_credentials', ME),
    )
    expect((await change(PASSWORD)).status).toBe(200)
  })

  test.each([
    ['is_superuser', { is_superuser: true }],
    ['is_active', { is_active: false }],
    ['is_verified', { is_verified: true }],
    ['id', { id: 1 }],
    ['username', { username: 'other' }],
    ['hashed_password', { hashed_password: 'x' }],
  ])('%s cannot be set', async (field, extra) => {
    const { token } = await loggedIn(service(), `setter-${field}`)
    const answer = await service().put(ME, { email: `set-${field}@example.com`, ...extra }, { token })
    expect(answer.body).toMatchObject({ status: 422, code: 'validation_failed' })
    expect((await service().get(ME, { token })).body.email).not.toContain('set-')
  })

  test('a change without a token gets 401', async () => {
    expect((await service().put(ME, { email: 'x@example.com' })).body.code).toBe('not_authenticated')
  })
}
