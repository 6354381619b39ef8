// One line for each file of this folder that exports a const of its own name.
export { account } from './account.ts'
export { emails } from './emails.ts'
export { identities } from './identities.ts'
export { imported } from './imported.ts'
export { passkeys } from './passkeys.ts'
export { secondFactors } from './second-factors.ts'
export { sessions } from './sessions.ts'
export { totp } from './totp.ts'
