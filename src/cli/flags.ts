import type { CopyRequest } from '../copy/copy-data.ts'
import type { ExistingUsers } from '../migrations/rows/rule.ts'
import type { AnswerFlags } from './resolve-answers.ts'

/** The flags of the command that creates a project. */
export interface CreateFlags extends AnswerFlags {
  readonly install: boolean
  readonly git: boolean
  readonly yes?: true
  readonly from?: string
  readonly printSchema?: true
  readonly dryRun?: true
  readonly json?: true
}

/** The flags of `regenerate`. */
export interface RegenerateFlags extends AnswerFlags {
  readonly install: boolean
  readonly existingUsers: ExistingUsers
  readonly forgetFormer?: true
  readonly dryRun?: true
  readonly diff?: true
  readonly check?: true
  readonly continue?: true
  readonly abort?: true
  readonly forget?: true
  readonly allowDirty?: true
  readonly yes?: true
  readonly json?: true
}

/** The flags of `status`. */
export interface StatusFlags {
  readonly json?: true
}

/** The flags of `audit`. */
export interface AuditFlags {
  /** `true`, or the ids of the advisories. */
  readonly fix?: true | readonly string[]
  readonly allowDirty?: true
  readonly json?: true
}

/** The flags of `copy-data`. */
export interface CopyFlags extends CopyRequest {
  readonly json?: true
}

/** A command with its flags. */
export type Invocation =
  | { readonly kind: 'create'; readonly directory: string | undefined; readonly flags: CreateFlags }
  | { readonly kind: 'regenerate'; readonly flags: RegenerateFlags }
  | { readonly kind: 'status'; readonly flags: StatusFlags }
  | { readonly kind: 'audit'; readonly flags: AuditFlags }
  | { readonly kind: 'copy-data'; readonly flags: CopyFlags }
