import { isUsername, madeUsername } from '../users/names.ts'

/**
 * Usernames for a new user, of which the first that is free is theirs. Made of the name at the provider, in ASCII: letters
 * that look like those of another user are dropped, not replaced by what they look like.
 * @param name as the provider sends it: any text
 */
export function usernamesFrom(name: string): string[] {
  const kept = name
    .slice(0, 200)
    .replaceAll(/[^A-Za-z0-9._-]+/g, '-')
    .replaceAll(/^[._-]+|[._-]+$/g, '')
    .slice(0, 21)
    .replace(/[._-]+$/, '')
  const made = madeUsername()
  return isUsername(kept) ? [kept, kept + made.replace('user', ''), made] : [made, madeUsername()]
}
