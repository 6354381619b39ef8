import type { Config } from '../../src/config.ts'

/** The claims of profile B, and the setting that accepts its tokens. */
export const formerProfile = {
  until: 'PROFILE_B_TOKENS_UNTIL',
  claims: (id: number, username: string, settings: Config['accessTokens']) => ({
    sub: username,
    user_id: id,
    iss: settings.formerIssuer,
    aud: settings.formerAudience,
    token_type: 'access',
  }),
}
