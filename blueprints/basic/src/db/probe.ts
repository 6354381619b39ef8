/** The table that /health/ready reads. */
export { users as probe } from './schema/users.ts'
