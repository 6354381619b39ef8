// One line for each file of this folder that exports a const of its own name.
export { accessTokens } from './access-tokens.ts'
export { accounts } from './accounts.ts'
export { credentials } from './credentials.ts'
export { database } from './database.ts'
export { rateLimits } from './rate-limits.ts'
export { server } from './server.ts'
