import { wholeNumber } from './types.ts'

/** Part of the session settings of either profile. */
export const reuseGrace = {
  REFRESH_TOKEN_REUSE_GRACE_SECONDS: wholeNumber({ min: 0, max: 60 })
    .default(10)
    .describe(
      'How long a refresh token that was just replaced gives the same successor again, in seconds; 0: never',
    ),
}
