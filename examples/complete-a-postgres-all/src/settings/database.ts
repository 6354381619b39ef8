import { z } from 'zod'
import { settings, wholeNumber } from './types.ts'

// The message must not show the value, which contains a password.
const serverUrl = z.string().refine(isServerUrl, {
  error:
    'must be the address of a server, such as postgres://user:password@localhost:5432/name (in the password, write %23 for #, %25 for %, %2F for / and %3F for ?)',
})

/** The connection to the database: address, pool size and timeouts. Never log the address: it contains a password. */
export const database = settings({
  /** PostgreSQL server, account and database. For TLS, add ?sslmode=verify-full, which checks the certificate. */
  url: ['DATABASE_URL', serverUrl.default('postgres://localhost:5432/my-api')],
  /** Maximum number of connections per process. Keep the sum of all processes below max_connections. */
  poolSize: ['DATABASE_POOL_SIZE', wholeNumber({ min: 1, max: 1_000 }).default(10)],
  /** Milliseconds that a request waits for a connection before it gets 503. */
  connectTimeoutMs: ['DATABASE_CONNECT_TIMEOUT_MS', wholeNumber({ min: 100, max: 60_000 }).default(2_000)],
  /** Milliseconds that a statement may take, including waits for locks, before the request gets 503. */
  statementTimeoutMs: [
    'DATABASE_STATEMENT_TIMEOUT_MS',
    wholeNumber({ min: 100, max: 600_000 }).default(2_000),
  ],
})

function isServerUrl(text: string): boolean {
  if (!URL.canParse(text)) return false
  const { protocol, username, password, pathname, search, hash } = new URL(text)
  // The rest of a password that is not encoded, such as 1/secret: its first part was read as the port.
  const isCut = /^[^=]*@/.test(pathname + search + hash)
  // A % that begins no code.
  const isEncoded = !/%(?![\dA-F]{2})/i.test(username + password)
  return ['postgres:', 'postgresql:'].includes(protocol) && isEncoded && !isCut
}
