import type { DiskFile } from './disk.ts'
import type { Decision } from './merge.ts'

/** What becomes of a file, and the file as it was found. */
export interface Decided {
  readonly decision: Decision
  readonly file: DiskFile
}
