/** The server that the tests may use. Without one they run on PGlite: PostgreSQL in memory, in this process. */
export const testServer = process.env.TEST_DATABASE_URL
