/** What the tests run with; everything else has its default. The hash is the cheapest that the service accepts. */
export const testSettings = {
  JWT_SECRET_KEY: 'a-secret-that-only-the-tests-of-this-service-use',
  ARGON2_MEMORY_KIB: '19456',
  ARGON2_TIME_COST: '2',
}
