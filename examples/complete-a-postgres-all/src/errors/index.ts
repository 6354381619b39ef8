// One line for each file of this folder that exports a const of its own name.
export { accountData } from './account-data.ts'
export { accounts } from './accounts.ts'
export { commonPasswords } from './common-passwords.ts'
export { passkeys } from './passkeys.ts'
export { requests } from './requests.ts'
export { serviceClients } from './service-clients.ts'
export { signIn } from './sign-in.ts'
export { totp } from './totp.ts'
