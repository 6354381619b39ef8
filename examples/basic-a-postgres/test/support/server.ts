/** The server for the tests. Without one, they run on PGlite, which is PostgreSQL in the memory of this process. */
export const testServer = process.env.TEST_DATABASE_URL
