// One line for each file of this folder that exports a const of its own name.
export { identity } from './identity.ts'
export { passkey } from './passkey.ts'
export { totp } from './totp.ts'
