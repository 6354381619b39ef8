import * as z from 'zod'
import { parseBase } from './base.ts'
import { manifestText, parseManifest } from './manifest.ts'
import { FORMAT_VERSION, ownFault, ownText, parseOwn } from './own-files.ts'
import { pathFault, sameOnSomeDisks } from './project-path.ts'

/** A file as it is before or after a change. */
export interface FileState {
  readonly bytes: Buffer
  /** Its permissions; undefined for those that a new file gets. */
  readonly mode?: number | undefined
}

/** One file's change; null where the file is not there. */
export interface Change {
  readonly path: string
  readonly before: FileState | null
  readonly after: FileState | null
}

/**
 * An update under way, with all that it takes to finish it or to take it back.
 * - `applying`: the changes are being written, or the process died while it wrote them
 * - `conflicts`: they are written, and conflicts wait for the owner
 * - `aborting`: they are being taken back
 */
export interface Pending {
  readonly state: 'applying' | 'conflicts' | 'aborting'
  readonly changes: readonly Change[]
  /** The paths of files with conflicts. */
  readonly conflicts: readonly string[]
  /** The texts of manifest and base, before and after. */
  readonly previousManifest: string
  readonly previousBase: string | null
  readonly nextManifest: string
  readonly nextBase: string
}

const path = z.string().superRefine((value, context) => {
  const fault = pathFault(value)
  if (fault) context.addIssue({ code: 'custom', message: `"${value}" ${fault}` })
})
// No program of the owner's needs more, and the set-user-ID bits are nobody's to give (CWE-732).
const mode = z.int().min(0).max(0o777).optional()
const fileState = z.union([
  z.strictObject({ text: z.string(), mode }),
  z.strictObject({ base64: z.base64(), mode }),
])

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
  })
  .superRefine(({ changes, conflicts }, context) => {
    const paths = changes.map((change) => change.path)
    const fault = (message: string) => context.addIssue({ code: 'custom', message })
    if (sameOnSomeDisks(paths)) fault('two changes are for one file')
    if (conflicts.some((conflict) => !paths.includes(conflict))) fault('a conflict is in no changed file')
  })

/** @throws UserError (refused) for anything that the generator did not write */
export function parsePending(text: string): Pending {
  const { changes, formatVersion: _, ...rest } = parseOwn('pending.json', text, pendingSchema)
  parseManifest(rest.previousManifest)
  parseManifest(rest.nextManifest)
  if (rest.previousBase !== null) parseBase(rest.previousBase)
  parseBase(rest.nextBase)
  if (manifestText(parseManifest(rest.nextManifest)) !== rest.nextManifest) {
    throw ownFault('pending.json', 'holds a manifest that the generator did not write')
  }
  return {
    ...rest,
    changes: changes.map((change) => ({
      ...change,
      before: decode(change.before),
      after: decode(change.after),
    })),
  }
}

export function pendingText({ state, changes, ...rest }: Pending): string {
  const encoded = changes.map((change) => ({
    path: change.path,
    before: encode(change.before),
    after: encode(change.after),
  }))
  return ownText({ formatVersion: FORMAT_VERSION, state, changes: encoded, ...rest })
}

function decode(state: z.output<typeof fileState> | null): FileState | null {
  if (!state) return null
  const bytes = 'text' in state ? Buffer.from(state.text) : Buffer.from(state.base64, 'base64')
  return { bytes, mode: state.mode }
}

/** As text where that gives the same bytes back. */
function encode(state: FileState | null) {
  if (!state) return null
  const text = state.bytes.toString()
  const rights = state.mode === undefined ? {} : { mode: state.mode & 0o777 }
  return Buffer.from(text).equals(state.bytes)
    ? { text, ...rights }
    : { base64: state.bytes.toString('base64'), ...rights }
}
