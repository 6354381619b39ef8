export { account } from './account.ts'
export { emails } from './emails.ts'
export { sessions } from './sessions.ts'
