/** The code of an error of Node.js or of the operating system, such as "ENOENT"; undefined for any other error. */
export const codeOf = (error: unknown): string | undefined => (error as NodeJS.ErrnoException).code

/** The file of such an error: what a rename was to replace, or what could not be opened; else `path`. */
export const fileOf = (error: unknown, path: string): string =>
  (error as { dest?: string }).dest ?? (error as NodeJS.ErrnoException).path ?? path

/**
 * Describes an error of the operating system, such as "permission denied (EACCES)".
 * @returns undefined for any other error
 */
export function reasonOf(error: unknown): string | undefined {
  const code = codeOf(error)
  return code && `${REASONS[code] ?? (error as Error).message} (${code})`
}

const REASONS: Record<string, string> = {
  ENOENT: 'no such file or directory',
  ENOSPC: 'no space is left on the device',
  EDQUOT: 'the disk quota is used up',
  EACCES: 'permission denied',
  EPERM: 'permission denied',
  EROFS: 'the file system is read-only',
  ENAMETOOLONG: 'the path is too long',
}
