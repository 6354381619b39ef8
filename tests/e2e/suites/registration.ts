import { expect, test } from 'vitest'
import { type Client, problem } from '../harness/client.ts'
import { inComplete, newUser, PASSWORD, REGISTER, type Variant } from './accounts.ts'

/** Accepted and refused registrations. Needs a service that allows at least 60 registrations a minute. */
export function registrationSuite(variant: Variant, service: () => Client): void {
  const { profile } = variant

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

  const tooShort = 'Password must be at least 8 characters'
  const noUppercase = 'Password must contain uppercase letter'
  const noLowercase = 'Password must contain lowercase letter'
  const noDigit = 'Password must contain digit'
  const noSpecial = profile === 'B' ? ['Password must contain special character'] : []
  test.each([
    ['', [tooShort, noUppercase, noLowercase, noDigit, ...noSpecial]],
    ['Ab1-xyz', [tooShort]],
    ['correct-horse-7', [noUppercase]],
    ['CORRECT-HORSE-7', [noLowercase]],
    ['Correct-Horse', [noDigit]],
    ['👍👍👍-A1b', [tooShort]],
    ...(profile === 'B' ? [['CorrectHorse7', noSpecial] as [string, string[]]] : []),
  ])('the weak password %j is refused with every rule that it breaks', async (password, messages) => {
    const { status, body, text } = await service().post(REGISTER, { ...newUser('weak'), password })
    expect(status).toBe(422)
    const errors = messages.map((message) => ({
      field: 'password',
      code: expect.stringMatching(/^password_/),
      message,
    }))
    expect(body).toEqual(problem(422, messages[0] ?? '', 'weak_password', REGISTER, errors))
    if (password !== '') expect(text).not.toContain(password)
  })

  if (profile === 'A') {
    test('a password without a special character is accepted', async () => {
      const answer = await service().post(REGISTER, { ...newUser('plain'), password: 'CorrectHorse7' })
      expect(answer.status).toBe(201)
    })
    test('a password of more than 72 bytes is refused, not truncated', async () => {
      const answer = await service().post(REGISTER, { ...newUser('long'), password: `A1-${'é'.repeat(35)}` })
      expect(answer.body).toMatchObject({ status: 422, code: 'weak_password' })
    })
  } else {
    test('a password of more than 256 characters is refused', async () => {
      const answer = await service().post(REGISTER, { ...newUser('long'), password: `A1-${'é'.repeat(254)}` })
      expect(answer.body).toMatchObject({ status: 422, code: 'weak_password' })
    })
  }

  const valid = newUser('zebraed')
  test.each([
    ['broken JSON', '{"username":', 400, 'bad_request'],
    ['an empty body', '', 400, 'bad_request'],
    ['__proto__', `{"__proto__":{"is_superuser":true},${JSON.stringify(valid).slice(1)}`, 400, 'bad_request'],
    ['an array', [valid], 422, 'validation_failed'],
    ['a missing field', { username: 'zebraed', password: PASSWORD }, 422, 'validation_failed'],
    ['an unknown field', { ...valid, is_superuser: true }, 422, 'validation_failed'],
    ['an array for a string', { ...valid, username: ['zebraed'] }, 422, 'validation_failed'],
    ['a number for a string', { ...valid, password: 12345678 }, 422, 'validation_failed'],
    ['true for a string', { ...valid, email: true }, 422, 'validation_failed'],
    ['null for a string', { ...valid, username: null }, 422, 'validation_failed'],
    ['a bad email', { ...valid, email: 'not an email' }, 422, 'validation_failed'],
    ['two addresses', { ...valid, email: 'a@example.com,b@example.com' }, 422, 'validation_failed'],
    ['a short username', { ...valid, username: 'ab' }, 422, 'validation_failed'],
    ['a username with an at sign', { ...valid, username: 'a@b.example' }, 422, 'validation_failed'],
    ['a Kelvin sign', { ...valid, username: 'zebra\u212a' }, 422, 'validation_failed'],
    ['a control character', { ...valid, username: 'zebra\ned' }, 422, 'validation_failed'],
    ['a lone surrogate', JSON.stringify(valid).replace('Horse', '\\ud800'), 422, 'validation_failed'],
  ])('%s is refused', async (_what, body, status, code) => {
    const answer = await service().post(REGISTER, body)
    expect(answer.body).toMatchObject({ status, code, instance: REGISTER })
    expect(answer.status).toBe(status)
    if (status === 422) expect(answer.body.errors).not.toHaveLength(0)
    expect(answer.text).not.toMatch(/not an email|Correct-Horse|zebra/)
  })

  test('a body of more than 16 KiB gets 413, and another media type gets 415', async () => {
    const large = await service().post(REGISTER, { ...valid, username: 'x'.repeat(17_000) })
    expect(large.body).toMatchObject({ status: 413 })
    const form = { headers: { 'content-type': 'application/x-www-form-urlencoded' } }
    expect((await service().post(REGISTER, 'username=zebraed', form)).body).toMatchObject({ status: 415 })
    const plain = { headers: { 'content-type': 'text/plain' } }
    expect((await service().post(REGISTER, JSON.stringify(valid), plain)).body).toMatchObject({ status: 415 })
  })
}
