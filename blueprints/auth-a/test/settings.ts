/** What the tests run with; everything else has its default. The hash is the cheapest that the service accepts. */
export const testSettings = {
  SECRET_KEY: 'a-secret-that-only-the-tests-of-this-service-use',
  BCRYPT_COST: '10',
}
