import { test } from 'vitest'
import { password } from '../support/accounts.ts'
import { newPassword, post } from '../support/flows.ts'
import { expectExactRevocation } from '../support/revocation.ts'

// An answer to a logout or a password change is a promise: the copy of the token that a thief has is worthless now.
test('under load, a logout takes effect with its answer on both instances', () =>
  expectExactRevocation((app, { token }) => post(app, 'logout', {}, token)))

test('under load, a password change takes effect with its answer on both instances', () => {
  const change = { current_password: password, new_password: newPassword }
  return expectExactRevocation((app, { token }) => post(app, 'change-password', change, token))
})
