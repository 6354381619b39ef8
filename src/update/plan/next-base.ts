import type { Base } from '../../project/base.ts'
import type { Files } from '../../system/file-system.ts'
import type { UpdateFile } from '../files/file.ts'

/** The base after an update that generates `next`. */
export function nextBase(base: Base, next: Files, files: readonly UpdateFile[]): Base {
  const dropped = new Map<string, string | null>()
  for (const { path, disk, decision } of files) {
    const text = base.files.get(path)
    if (text === undefined || next.has(path)) continue
    if (decision.action === 'yours' || decision.action === 'conflict') dropped.set(path, text)
    else if (disk.kind === 'absent') dropped.set(path, null)
  }
  const earlier = [...base.dropped].filter(([path]) => !next.has(path))
  return { files: next, dropped: new Map([...earlier, ...dropped]) }
}
