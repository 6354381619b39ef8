// One line for each file of this folder that exports a const of its own name.
export { passkey } from './passkey.ts'
export { totp } from './totp.ts'
