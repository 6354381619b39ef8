/**
 * Variants that every run tests: each mode occurs with each profile and database, and each profile with each database,
 * also with all add-ons. `npm run test:all` tests the others too.
 */
export const EVERY_RUN: readonly string[] = [
  'complete-b-postgres',
  'complete-a-sqlite',
  'basic-b-sqlite',
  'basic-a-postgres',
  'none-sqlite',
  'complete-b-sqlite-all',
  'complete-a-postgres-all',
]

/** The one of them whose own tests all run. The others run the tests that none before has with the same text. */
export const WHOLE_SUITES: readonly string[] = ['complete-a-sqlite']

/** Tests that run again on PostgreSQL, where transactions run at once and wait for rows: their outcome may differ. */
export const AGAIN_ON_POSTGRES = {
  variant: 'complete-b-postgres',
  tests:
    /^test\/(?:db|jobs|sessions|email\/(?:claim|delivery|order|void))\b|\/[\w-]*(?:races?|flood|denial|guessing|limits?|revocation|enumeration)\b[\w-]*\.test/,
}

/** Whether this run tests all variants. */
export const isWhole = Boolean(process.env.TEST_ALL)

/** Whether the tests of a copy begin with its script check. An installed project runs it in variants/. */
export const isChecked = (variant: string): boolean =>
  isWhole || ['complete-b-sqlite', ...EVERY_RUN.filter((name) => !isInstalled(name))].includes(variant)

/** Whether a variant is created with an installation, as a user does: one for each database. The others link packages. */
export const isInstalled = (variant: string): boolean =>
  isWhole || ['complete-a-sqlite', 'complete-b-postgres'].includes(variant)
