import type { DiskFile } from '../../project/disk.ts'

/**
 * What an update does with a file:
 * - `same`: nothing
 * - `create`, `update`, `delete`: only the generator changed it
 * - `merge`: both sides changed it, in different places
 * - `conflict`: both changed it in the same place, or both created it; without a text, it needs what is deleted
 * - `edited`: only the owner changed it
 * - `deleted`: the owner deleted a file that the generator changed, or the folder of a new one; it stays deleted
 * - `yours`: the owner changed a file that is no longer generated, or their code imports it
 * - `kept`: the file cannot be read as text
 */
export type Action =
  | 'same'
  | 'create'
  | 'update'
  | 'delete'
  | 'merge'
  | 'conflict'
  | 'edited'
  | 'deleted'
  | 'yours'
  | 'kept'

export interface Decision {
  readonly action: Action
  /** The file's new text, if it changes; absent for `delete`. */
  readonly text?: string
  /** Why the file is `kept` or a `conflict`; who imports one that is `yours`; where it was; what a `delete` takes along. */
  readonly detail?: string
  /** For `yours`: the path where the code is generated now. */
  readonly newHome?: string
}

/** One file of an update. */
export interface UpdateFile {
  readonly path: string
  /** As generated last time; undefined if it was not. */
  readonly base?: string | undefined
  readonly disk: DiskFile
  /** As generated now; undefined if it is not. */
  readonly next?: string | undefined
  /** What the owner had done to the file when an earlier update stopped generating it. */
  readonly dropped?: 'edited' | 'deleted' | undefined
  /** With the owner's comments and layout, as an earlier update deleted it. */
  readonly restyled?: DiskFile | undefined
  /** Whether the owner deleted all generated files of a folder that the file is in. */
  readonly isFolderDeleted?: boolean
  readonly decision: Decision
  /** What the owner has to know about it, one line each. */
  readonly notes?: readonly string[]
}

/** A file before the decision. */
export type Undecided = Omit<UpdateFile, 'decision' | 'notes'>
