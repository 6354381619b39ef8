import type { Base } from '../../project/base.ts'
import type { Files } from '../../system/file-system.ts'
import type { UpdateFile } from '../files/file.ts'

/** The base after an update that generates `next`. */
export function nextBase(base: Base, next: Files, files: readonly UpdateFile[]): Base {
  const isGone = ([path]: readonly [string, unknown]) => !next.has(path)
  const dropped = new Map([...base.dropped].filter(isGone))
  const commented = new Map([...base.commented].filter(isGone))
  for (const { path, disk, decision } of files) {
    const text = base.files.get(path)
    if (text === undefined || next.has(path)) continue
    const takesComments = decision.action === 'delete' && decision.detail !== undefined
    if (takesComments && disk.kind === 'text') commented.set(path, disk.bytes.toString())
    if (takesComments || decision.action === 'yours' || decision.action === 'conflict')
      dropped.set(path, text)
    else if (disk.kind === 'absent') dropped.set(path, null)
  }
  return { files: next, dropped, commented }
}
