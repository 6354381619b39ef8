/** The paths of generated files: `/` as the only separator, no drive letters, no control characters. */
const PATH = /^[\w.@()[\]+-]+(?:\/[\w.@()[\]+-]+)*$/
const MAX_LENGTH = 1024
const MAX_SEGMENT = 255

/** Top-level folders that no generated file is in: tools run code from node_modules. */
const FORBIDDEN_FOLDERS = ['.authsmith', 'node_modules']

/**
 * Checks a path that was read from the project. An attacker who can change that file could otherwise make the generator
 * write outside the project (CWE-22), or into `.git/hooks`, whose programs git runs.
 * @returns why the path is invalid; undefined if it is valid
 */
export function pathFault(path: string): string | undefined {
  if (path.length > MAX_LENGTH) return 'is too long'
  if (!PATH.test(path)) return 'is not a relative path of plain names separated by /'
  const segments = path.split('/')
  for (const segment of segments) {
    if (/^\.+$/.test(segment) || segment.endsWith('.'))
      return 'has a name of dots, or one that ends with a dot'
    if (segment.length > MAX_SEGMENT) return 'has a name that is too long'
    // On Windows and macOS, .GIT and git~1 are the same folder (CVE-2014-9390).
    if (/^(\.git|git~\d+)$/i.test(segment)) return 'is inside .git'
    if (['__proto__', 'constructor', 'prototype'].includes(segment)) return 'has a reserved name'
  }
  const first = segments[0]?.toLowerCase() ?? ''
  return FORBIDDEN_FOLDERS.includes(first) ? `is inside ${first}` : undefined
}

/** Migrations are appended to, never merged. */
export const isMigration = (path: string): boolean => path.startsWith('migrations/')

/** The first two paths that are equal on a file system that ignores case; undefined if there are none. */
export function sameOnSomeDisks(paths: readonly string[]): [string, string] | undefined {
  const seen = new Map<string, string>()
  for (const path of paths) {
    const other = seen.get(path.toLowerCase())
    if (other !== undefined) return [other, path]
    seen.set(path.toLowerCase(), path)
  }
  return undefined
}
