import * as z from 'zod'
import { type Base, baseText, parseBase } from '../../project/base.ts'
import { type Manifest, manifestText, type Project, parseManifest } from '../../project/manifest.ts'
import { pathFault, sameOnSomeDisks } from '../../project/path-rules.ts'
import { FORMAT_VERSION, parseRecord } from '../../project/records.ts'
import { jsonText } from '../../system/json.ts'

/** A file before or after a change. */
export interface FileState {
  readonly bytes: Buffer
  /** Its permissions; undefined means the defaults of a new file. */
  readonly mode?: number | undefined
}

/** The change of one file; null means that the file does not exist. */
export interface Change {
  readonly path: string
  readonly before: FileState | null
  readonly after: FileState | null
}

/**
 * An update in progress, with everything needed to finish or undo it.
 * - `applying`: the changes are being written, or the process ended before they were
 * - `conflicts`: the changes are written, and the owner has to resolve conflicts
 * - `aborting`: the changes are being undone
 */
export interface Pending {
  readonly state: 'applying' | 'conflicts' | 'aborting'
  readonly changes: readonly Change[]
  /** The paths of files with conflicts. */
  readonly conflicts: readonly string[]
  /** What the project was generated from. The texts are restored byte for byte by an abort. */
  readonly previous: Pick<Project, 'manifest' | 'manifestText' | 'baseText'>
  readonly next: { readonly manifest: Manifest; readonly base: Base }
  /** The owner's last commit before the update; undefined without git. */
  readonly commit?: string | undefined
}

const path = z.string().superRefine((value, context) => {
  const fault = pathFault(value)
  if (fault) context.addIssue({ code: 'custom', message: `"${value}" ${fault}` })
})
// Without the set-user-ID bit: it would let others run the file with its owner's permissions (CWE-732).
const mode = z.int().min(0).max(0o777).optional()
const fileState = z
  .strictObject({ base64: z.base64(), mode })
  .transform(({ base64, mode }): FileState => ({ bytes: Buffer.from(base64, 'base64'), mode }))

const pendingSchema = z
  .strictObject({
    formatVersion: z.literal(FORMAT_VERSION),
    state: z.enum(['applying', 'conflicts', 'aborting']),
    changes: z
      .array(z.strictObject({ path, before: fileState.nullable(), after: fileState.nullable() }))
      .max(20_000),
    conflicts: z.array(path).max(20_000),
    previousManifest: z.string(),
    previousBase: z.string().nullable(),
    nextManifest: z.string(),
    nextBase: z.string(),
    // It becomes an argument of git, where anything else could be an option (CWE-88).
    commit: z
      .string()
      .regex(/^[0-9a-f]{40,64}$/)
      .optional(),
  })
  .superRefine(({ changes, conflicts }, context) => {
    const paths = changes.map((change) => change.path)
    const fault = (message: string) => context.addIssue({ code: 'custom', message })
    if (sameOnSomeDisks(paths)) fault('two changes name the same file')
    if (conflicts.some((conflict) => !paths.includes(conflict)))
      fault('a conflict names a file without a change')
  })

/**
 * Reads a journal as untrusted input.
 * @throws UserError (refused) for anything that the generator did not write
 */
export function parsePending(text: string, file: 'pending.json' | 'undo.tmp' = 'pending.json'): Pending {
  const { state, changes, conflicts, commit, ...texts } = parseRecord(file, text, pendingSchema)
  const { previousManifest, previousBase, nextManifest, nextBase } = texts
  if (previousBase !== null) parseBase(previousBase)
  return {
    state,
    changes,
    conflicts,
    previous: {
      manifest: parseManifest(previousManifest),
      manifestText: previousManifest,
      baseText: previousBase ?? undefined,
    },
    next: { manifest: parseManifest(nextManifest), base: parseBase(nextBase) },
    commit,
  }
}

/** The text of pending.json. */
export function pendingText({ state, changes, conflicts, previous, next, commit }: Pending): string {
  const encoded = changes.map((change) => ({
    path: change.path,
    before: encode(change.before),
    after: encode(change.after),
  }))
  return jsonText({
    formatVersion: FORMAT_VERSION,
    state,
    changes: encoded,
    conflicts,
    previousManifest: previous.manifestText,
    previousBase: previous.baseText ?? null,
    nextManifest: manifestText(next.manifest),
    nextBase: baseText(next.base),
    commit,
  })
}

const encode = (state: FileState | null) =>
  state && {
    base64: state.bytes.toString('base64'),
    mode: state.mode === undefined ? undefined : state.mode & 0o777,
  }
