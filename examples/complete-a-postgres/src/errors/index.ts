export { accounts } from './accounts.ts'
export { commonPasswords } from './common-passwords.ts'
export { requests } from './requests.ts'
export { sessions } from './sessions.ts'
