/** The table that /health/ready reads. A login takes an id from its sequence. */
export { tokens as probe } from './schema/tokens.ts'
