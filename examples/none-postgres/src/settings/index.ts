export { database } from './database.ts'
export { rateLimits } from './rate-limits.ts'
export { redis } from './redis.ts'
export { server } from './server.ts'
