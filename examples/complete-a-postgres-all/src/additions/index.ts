// One line for each file of this folder that exports a const of its own name.
export { commonPasswords } from './common-passwords.ts'
export { emailLogin } from './email-login.ts'
export { foreignHashes } from './foreign-hashes.ts'
export { oidc } from './oidc.ts'
export { passkeys } from './passkeys.ts'
export { signIn } from './sign-in.ts'
