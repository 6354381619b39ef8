/** The table that /health/ready reads. A login takes an id from its sequence. */
export { refreshTokens as probe } from './schema/refresh-tokens.ts'
