/** What the tests run with; everything else has its default. */
export const testSettings = {}
