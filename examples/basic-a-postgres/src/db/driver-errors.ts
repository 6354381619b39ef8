/** A unique index refused the row. */
export const isUniqueViolation = (error: unknown): boolean => codesOf(error).includes('23505')

/**
 * The database cannot answer now, and may later. SQLSTATEs: 08 connection lost, 25006 the server is a replica now, 25P03
 * and 57014 took too long, 40001 and 40P01 another transaction was in the way, several times, 53 out of connections,
 * memory or disk, 55P03 locked, 57P01 to 57P05 stopping, starting or closing idle connections, 58 I/O error.
 */
const unavailableState = /^(08...|25006|25P03|40001|40P01|53...|55P03|57014|57P0[1235]|58...)$/

/** What Node.js says of a connection that cannot be made or was lost. */
const networkError =
  /^(ECONN(REFUSED|RESET|ABORTED)|EPIPE|ETIMEDOUT|E(HOST|NET)(UNREACH|DOWN)|ENOTFOUND|EAI_AGAIN|ENOENT|EADDRNOTAVAIL)$/

/** What pg says without a code. */
const driverError =
  /^(Connection terminated|timeout e(xceeded|xpired)|Query read timeout|Client has encountered a connection error|Client was closed)/

export const isUnavailable = (error: unknown): boolean =>
  codesOf(error).some((code) => unavailableState.test(code) || networkError.test(code)) ||
  messagesOf(error).some((message) => driverError.test(message))

/** Another transaction was in the way, and the database chose this one to give in: the same again may succeed. */
export const isConflict = (error: unknown): boolean =>
  codesOf(error).some((code) => code === '40001' || code === '40P01')

/** Drizzle wraps the driver's error and keeps it as `cause`. */
const chainOf = (error: unknown): Error[] => (error instanceof Error ? [error, ...chainOf(error.cause)] : [])

const codesOf = (error: unknown): string[] =>
  chainOf(error).flatMap((link) => ('code' in link && typeof link.code === 'string' ? [link.code] : []))

const messagesOf = (error: unknown): string[] => chainOf(error).map(({ message }) => message)
