import { expect, test } from 'vitest'
import { readEmail } from './texts.js'

test('a random token with "undo" in it is no word', () => {
  const text = 'https://x.org/verify-email#token=WZundo2Q'
  const email = { to: 'a@x.org', subject: 'Verify your address', text }
  expect(readEmail(email, 'a')).toMatchObject({ sort: 'to verify', token: 'WZundo2Q' })
})
