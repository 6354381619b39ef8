import type { Base } from '../../project/base.ts'
import type { Files } from '../../system/file-system.ts'
import type { UpdateFile } from '../files/file.ts'

/**
 * The base after an update that generates `next`.
 * @param origins the generated path of each file that the owner moved
 */
export function nextBase(base: Base, next: Files, files: readonly UpdateFile[], origins: Files): Base {
  const isGone = ([path]: readonly [string, unknown]) => !next.has(path)
  const dropped = new Map([...base.dropped].filter(isGone))
  const restyled = new Map([...base.restyled].filter(isGone))
  for (const { path: home, disk, decision } of files) {
    const path = origins.get(home) ?? home
    const text = base.files.get(path)
    if (text === undefined || next.has(path)) continue
    const isRestyled = decision.action === 'delete' && disk.kind === 'text' && disk.text !== text
    if (isRestyled) restyled.set(path, disk.bytes.toString())
    if (isRestyled || decision.action === 'yours' || decision.action === 'conflict') dropped.set(path, text)
    else if (disk.kind === 'absent') dropped.set(path, null)
  }
  return { ...base, files: next, dropped, restyled }
}
