/** Names of our files: letters, digits and a few signs, no separator but `/`, no drive letter, no control character. */
const PATH = /^[\w.@()[\]+-]+(?:\/[\w.@()[\]+-]+)*$/
const MAX_LENGTH = 1024
const MAX_SEGMENT = 255

/** Folders that hold code which somebody else's tool runs, and our own. */
const FORBIDDEN_FOLDERS = ['.authsmith', 'node_modules']

/**
 * Why a path from a file of the project cannot be one that the generator wrote; undefined where it can. Whoever sends the
 * owner a change to that file would otherwise choose what is written where: outside the project (CWE-22), or
 * into `.git/hooks`, whose programs git runs.
 */
export function pathFault(path: string): string | undefined {
  if (path.length > MAX_LENGTH) return 'is too long'
  if (!PATH.test(path)) return 'is no relative path of plain names with / between them'
  const segments = path.split('/')
  for (const segment of segments) {
    if (/^\.+$/.test(segment) || segment.endsWith('.')) return 'does not stay where it seems to be'
    if (segment.length > MAX_SEGMENT) return 'has a name that is too long'
    // Windows and macOS take .GIT and git~1 for it too (CVE-2014-9390).
    if (/^(\.git|git~\d+)$/i.test(segment)) return 'is inside .git'
    if (['__proto__', 'constructor', 'prototype'].includes(segment)) return 'is no name of a file'
  }
  const first = segments[0]?.toLowerCase() ?? ''
  return FORBIDDEN_FOLDERS.includes(first) ? `is inside ${first}` : undefined
}

/** The first two paths that are one on a file system that ignores case; undefined where there are none. */
export function sameOnSomeDisks(paths: readonly string[]): [string, string] | undefined {
  const seen = new Map<string, string>()
  for (const path of paths) {
    const other = seen.get(path.toLowerCase())
    if (other !== undefined) return [other, path]
    seen.set(path.toLowerCase(), path)
  }
  return undefined
}
