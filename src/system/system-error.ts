/**
 * Describes an error of the operating system, such as "permission denied (EACCES)".
 * @returns undefined for any other error
 */
export function reasonOf(error: unknown): string | undefined {
  const { code, message } = error as NodeJS.ErrnoException
  return code === undefined ? undefined : `${reasons[code] ?? message} (${code})`
}

const reasons: Record<string, string> = {
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the path is too long',
}
