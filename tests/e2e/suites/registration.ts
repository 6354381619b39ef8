import { expect, test } from 'vitest'
import { type Client, problem } from '../harness/client.ts'
import { inComplete, newUser, PASSWORD, REGISTER, type Variant } from './accounts.ts'

/** Registration. Which names and passwords are refused is tested by the project itself. */
export function registrationSuite(variant: Variant, service: () => Client): void {
  test('register returns 201 with the fields of UserResponse', async () => {
    const before = Date.now()
    const { status, body } = await service().post(REGISTER, {
      username: 'Alice',
      email: 'Alice@Example.COM',
      password: PASSWORD,
    })
    expect(status).toBe(201)
    expect(body).toEqual({
      id: expect.any(Number),
      email: 'alice@example.com',
      username: 'Alice',
      is_active: true,
      ...inComplete(variant, { is_verified: false }),
      created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    })
    expect(Date.parse(body.created_at)).toBeGreaterThanOrEqual(before)
    expect(Date.parse(body.created_at)).toBeLessThanOrEqual(Date.now())
  })

  test('an email or username is taken in any case, with the same error for both', async () => {
    await service().post(REGISTER, newUser('taken'))
    const answers = await Promise.all([
      service().post(REGISTER, { ...newUser('other'), username: 'TAKEN' }),
      service().post(REGISTER, { ...newUser('other'), email: 'Taken@Example.com' }),
    ])
    for (const { status, body } of answers) {
      expect(status).toBe(409)
      expect(body).toEqual(
        problem(409, 'Email or username already registered', 'already_registered', REGISTER),
      )
    }
  })

  test('exactly one of 10 parallel registrations of one name succeeds', async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        service().post(REGISTER, { ...newUser('racer'), email: `racer${n}@example.com` }),
      ),
    )
    const statuses = answers.map(({ status }) => status).sort()
    expect(statuses).toEqual([201, ...Array(9).fill(409)])
  })

  test('a body of more than 16 KiB gets 413, and another media type gets 415', async () => {
    const large = await service().post(REGISTER, { ...newUser('zebraed'), username: 'x'.repeat(17_000) })
    expect(large.body).toMatchObject({ status: 413 })
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await service().post(REGISTER, 'username=zebraed', form)).body).toMatchObject({ status: 415 })
    const plain = { headers: { 'content-type': 'text/plain' } }
    expect((await service().post(REGISTER, JSON.stringify(newUser('zebraed')), plain)).body).toMatchObject({
      status: 415,
    })
  })
}
