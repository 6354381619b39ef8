import type { User } from '../users/users.ts'

/**
 * The username as a mail shows it. Until the address is verified, it may belong to a stranger, and mail clients would turn
 * a name such as evil.com into a link.
 */
export const mailedName = ({ username, isVerified }: User): string =>
  isVerified ? username : withoutLinks(username)

/**
 * A text of one user as a mail to another shows it: mail clients make no link of `evil[.]com` and `http[:]//`. Browsers
 * read three other characters as the dot of a domain too (UTS #46).
 */
export const withoutLinks = (text: string): string =>
  text.replaceAll(/[.\u3002\uff0e\uff61]/g, '[.]').replaceAll('://', '[:]//')
