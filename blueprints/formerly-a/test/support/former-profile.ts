/** The claims of profile A, and the setting that accepts its tokens. */
export const formerProfile = {
  until: 'PROFILE_A_TOKENS_UNTIL',
  claims: (id: number, username: string) => ({ user_id: id, username }),
}
