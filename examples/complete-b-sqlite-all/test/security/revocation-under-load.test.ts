import { test } from 'vitest'
import { changeUser } from '../support/accounts.ts'
import { expectExactRevocation } from '../support/revocation.ts'

// A thief keeps sending requests: none that arrives after the revocation may be answered from before it.
test('under load, deactivated users are refused at once on both instances', () =>
  expectExactRevocation((app, { id }) => changeUser(app, id, { isActive: false })))

test('under load, revoked access is refused at once on both instances', () =>
  expectExactRevocation((app, { id }) => app.db.transaction((tx) => app.accounts.access.endAccess(tx, id))))
