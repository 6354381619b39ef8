import { join } from 'node:path'
import { diffComm } from 'node-diff3'
import { refused } from '../system/errors.ts'
import type { FileSystem } from '../system/file-system.ts'
import { codeOf } from '../system/system-error.ts'

/** Larger files are not read. No source file is that large. */
const MAX_BYTES = 4 * 1024 * 1024
const BYTE_ORDER_MARK = '\u{feff}'

/** The file at a path of the project. */
export type DiskFile =
  | { readonly kind: 'absent' }
  | TextFile
  /**
   * Something that cannot be merged, and why. `isBelowLink`: one of its parent folders is a symbolic link. `binary`: the
   * bytes of a file in another encoding than UTF-8.
   */
  | { readonly kind: 'other'; readonly what: string; readonly isBelowLink?: true; readonly binary?: Buffer }

export interface TextFile {
  readonly kind: 'text'
  /** With line feeds only, and without a byte order mark. */
  readonly text: string
  readonly bytes: Buffer
  /** The file's permissions. */
  readonly mode: number
  readonly hasByteOrderMark: boolean
  /** Whether most lines end in CR LF. */
  readonly isCrLf: boolean
}

/** Reads the file at a path. Follows no links and does not throw for unreadable files. */
export function readDisk(fs: FileSystem, project: string, path: string): DiskFile {
  const obstacle = obstacleOnTheWay(fs, project, path)
  if (obstacle) return obstacle
  const file = join(project, path)
  try {
    const stats = fs.lstatSync(file, { throwIfNoEntry: false })
    if (!stats) return { kind: 'absent' }
    if (stats.isSymbolicLink()) return { kind: 'other', what: 'a symbolic link' }
    if (stats.isDirectory()) return { kind: 'other', what: 'a directory' }
    if (!stats.isFile()) return { kind: 'other', what: 'not a file' }
    if (stats.size > MAX_BYTES) return { kind: 'other', what: `larger than ${MAX_BYTES} bytes` }
    return textFile(fs.readFileSync(file), stats.mode & 0o7777)
  } catch (error) {
    return { kind: 'other', what: `unreadable (${codeOf(error)})` }
  }
}

/** A file with these bytes. */
export function textFile(bytes: Buffer, mode: number): DiskFile {
  const binary = { kind: 'other', what: 'binary', binary: bytes } as const
  if (bytes.includes(0)) return binary
  let decoded: string
  try {
    decoded = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return binary
  }
  const hasByteOrderMark = decoded.startsWith(BYTE_ORDER_MARK)
  const breaks = decoded.split('\n').length - 1
  const isCrLf = decoded.split('\r\n').length - 1 > breaks / 2
  return { kind: 'text', text: plainText(decoded), bytes, mode, hasByteOrderMark, isCrLf }
}

/** A text with line feeds only, and without a byte order mark. */
export const plainText = (text: string): string => text.replace(/^\u{feff}/u, '').replaceAll('\r\n', '\n')

/** Encodes a new text with the byte order mark of the existing file, and with the line end of each line that stays. */
export function encodeAs(like: DiskFile, text: string): Buffer {
  if (like.kind !== 'text') return Buffer.from(text)
  const mark = like.hasByteOrderMark ? BYTE_ORDER_MARK : ''
  const old = like.bytes.toString().slice(mark.length).split('\n')
  const usual = like.isCrLf ? '\r\n' : '\n'
  const isMixed = old.slice(0, -1).some((line) => line.endsWith('\r') !== like.isCrLf)
  return Buffer.from(mark + (isMixed ? joinLike(old, text, usual) : text.replaceAll('\n', usual)))
}

/** @param old the lines on disk, with the CR of their line ends */
function joinLike(old: readonly string[], text: string, usual: string): string {
  const plain = old.map((line, at) => (at < old.length - 1 ? line.replace(/\r$/, '') : line))
  let at = 0
  const lines = diffComm(plain, text.split('\n')).flatMap(({ common, buffer1 = [], buffer2 = [] }) => {
    const start = at
    at += (common ?? buffer1).length
    // The last line has no end on disk.
    const endOf = (index: number) => (old[index] === plain[index] ? '\n' : '\r\n')
    if (!common) return buffer2.map((line) => line + usual)
    return common.map((line, index) => line + (start + index < old.length - 1 ? endOf(start + index) : usual))
  })
  return lines.join('').replace(/\r?\n$/, '')
}

function obstacleOnTheWay(fs: FileSystem, project: string, path: string): DiskFile | undefined {
  const folders = path.split('/').slice(0, -1)
  for (const index of folders.keys()) {
    const folder = folders.slice(0, index + 1).join('/')
    const stats = fs.lstatSync(join(project, folder), { throwIfNoEntry: false })
    if (!stats) return { kind: 'absent' }
    if (stats.isSymbolicLink())
      return { kind: 'other', what: `below the symbolic link ${folder}`, isBelowLink: true }
    if (!stats.isDirectory()) return { kind: 'other', what: `below ${folder}, which is not a directory` }
  }
  return undefined
}

/**
 * Refuses to write through a symbolic link, with which an attacker could redirect the write outside the project
 * (CWE-59).
 * @throws UserError (refused)
 */
export function refuseLinkOnTheWay(fs: FileSystem, project: string, path: string): void {
  const obstacle = obstacleOnTheWay(fs, project, path)
  if (obstacle) refuseBelowLink(path, obstacle)
}

/** Like refuseLinkOnTheWay, for a file that was read. @throws UserError (refused) */
export function refuseBelowLink(path: string, disk: DiskFile): void {
  if (disk.kind === 'other' && disk.isBelowLink)
    throw refused(`${path} is ${disk.what}. Replace the link with a real folder.`)
}
