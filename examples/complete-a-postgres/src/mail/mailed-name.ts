import type { User } from '../users/users.ts'

/**
 * The username as a mail shows it. Until the address is verified, it may belong to a stranger, and mail clients would turn
 * a name such as evil.com into a link.
 */
export const mailedName = ({ username, isVerified }: User): string =>
  isVerified ? username : username.replaceAll('.', '[.]')
