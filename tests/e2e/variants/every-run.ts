/**
 * Variants that every run tests: each mode occurs with each profile and database, and each profile with each database.
 * `npm run test:all` tests the others too.
 */
export const EVERY_RUN: readonly string[] = [
  'complete-b-postgres',
  'complete-a-sqlite',
  'basic-b-sqlite',
  'basic-a-postgres',
  'none-sqlite',
]

/** Those of them whose own tests all run. The others run the tests that neither has with the same text. */
export const WHOLE_SUITES: readonly string[] = ['complete-b-postgres', 'complete-a-sqlite']

/** Whether this run tests all variants. */
export const isWhole = Boolean(process.env.TEST_ALL)

/** Whether a variant is created with an installation, as a user does: one for each database. The others link packages. */
export const isInstalled = (variant: string): boolean =>
  isWhole || ['complete-a-sqlite', 'complete-b-postgres'].includes(variant)
