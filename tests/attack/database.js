import { createRequire } from 'node:module'
import { join } from 'node:path'

/**
 * An empty database for a target: nothing to do for SQLite, whose file each service creates.
 * @param {import('./target.js').Target} target
 * @throws Error if the target needs PostgreSQL and TEST_DATABASE_URL is not set
 */
export async function newDatabase({ folder, variant }) {
  if (!variant.includes('postgres')) return { settings: {}, drop: async () => {} }
  const server = process.env.TEST_DATABASE_URL
  if (!server) throw new Error(`Set TEST_DATABASE_URL to a PostgreSQL server to attack ${variant}`)
  const name = `attack_${process.pid}_${Date.now()}`
  const run = async (/** @type {string} */ statement) => {
    const { Client } = createRequire(join(folder, 'package.json'))('pg')
    const client = new Client({ connectionString: server })
    await client.connect()
    await client.query(statement).finally(() => client.end())
  }
  await run(`CREATE DATABASE ${name}`)
  const url = new URL(server)
  url.pathname = name
  return { settings: { DATABASE_URL: url.href }, drop: () => run(`DROP DATABASE ${name} WITH (FORCE)`) }
}
