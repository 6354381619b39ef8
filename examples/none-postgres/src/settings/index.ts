export { database } from './database.ts'
export { rateLimits } from './rate-limits.ts'
export { server } from './server.ts'
