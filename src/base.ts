import * as z from 'zod'
import type { Decided } from './decided.ts'
import { FORMAT_VERSION, filesSchema, ownText, parseOwn } from './own-files.ts'
import { pathFault, sameOnSomeDisks } from './project-path.ts'
import type { Rendered } from './render.ts'

/** What was generated, and what the owner made of it: the side that the next update compares with. */
export interface Base {
  /** The text of each file as generated last time. */
  readonly files: Rendered
  /**
   * Of files that are not generated any more: the text that was, where the owner had edited it and it stays; null where the
   * owner had deleted it. So that an update that generates them again merges with it, or leaves them deleted.
   */
  readonly former: ReadonlyMap<string, string | null>
}

const NONE: Base['former'] = new Map()

const baseSchema = z
  .strictObject({
    formatVersion: z.literal(FORMAT_VERSION),
    files: filesSchema(baseFault, isString),
    former: filesSchema(baseFault, isStringOrNull).optional(),
  })
  .superRefine(({ files, former = NONE }, context) => {
    const twins = sameOnSomeDisks([...files.keys(), ...former.keys()])
    if (twins) context.addIssue({ code: 'custom', message: `"${twins[0]}" and "${twins[1]}" are one file` })
  })

function isString(value: unknown): value is string {
  return typeof value === 'string'
}

function isStringOrNull(value: unknown): value is string | null {
  return value === null || isString(value)
}

/** The base holds what is public: a secret in it would be committed, and a change to it would reach `.env`. */
function baseFault(path: string): string | undefined {
  return pathFault(path) ?? (/^\.env$/i.test(path) ? 'is never generated' : undefined)
}

/** @throws UserError (refused) for anything that the generator did not write */
export function parseBase(text: string): Base {
  const { files, former = NONE } = parseOwn('base.json', text, baseSchema)
  return { files, former }
}

export function baseText({ files, former }: Base): string {
  return ownText({
    formatVersion: FORMAT_VERSION,
    files: sorted(files),
    ...(former.size > 0 && { former: sorted(former) }),
  })
}

/** The base of a project that is written for the first time. */
export function firstBase(files: Rendered): Base {
  return { files, former: new Map() }
}

/** What an update compares with: also what was generated before last time, where it is generated again. */
export function baseFor({ files, former }: Base, next: Rendered): Rendered {
  const again = [...former].filter(
    (entry): entry is [string, string] => entry[1] !== null && next.has(entry[0]),
  )
  return new Map([...files, ...again])
}

/** The base after an update that generates `next`. */
export function nextBase(base: Base, next: Rendered, decided: readonly Decided[]): Base {
  const left = new Map<string, string | null>()
  for (const { decision, file } of decided) {
    const text = base.files.get(decision.path)
    if (text === undefined || next.has(decision.path)) continue
    if (decision.action === 'yours') left.set(decision.path, text)
    else if (file.kind === 'absent') left.set(decision.path, null)
  }
  const earlier = [...base.former].filter(([path]) => !next.has(path))
  return { files: next, former: new Map([...earlier, ...left]) }
}

function sorted<T>(entries: ReadonlyMap<string, T>): Record<string, T> {
  return Object.fromEntries([...entries].sort(([a], [b]) => (a < b ? -1 : 1)))
}
