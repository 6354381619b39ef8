import { isDeepStrictEqual } from 'node:util'
import * as z from 'zod'
import type { Files } from '../system/file-system.ts'
import { jsonText, sortedByKey } from '../system/json.ts'
import { pathFault, sameOnSomeDisks } from './path-rules.ts'
import { FORMAT_VERSION, filesSchema, parseRecord } from './records.ts'

/** What was generated so far. The next update compares with it. */
export interface Base {
  /** The text of each file as generated last time. */
  readonly files: Files
  /**
   * Files that are no longer generated: the last generated text if the owner kept an edited file, null if the owner had
   * deleted it. An update that generates such a file again merges with this text, or leaves the file deleted.
   */
  readonly dropped: ReadonlyMap<string, string | null>
  /** Dropped files in which the owner had changed comments and layout only, as they were: that comes back with the code. */
  readonly restyled: Files
  /** The files and folders that the owner moved: the generated path → the owner's. */
  readonly moves: Files
}

const isText = (value: unknown): value is string => typeof value === 'string'
const isPath = (value: unknown): value is string => isText(value) && baseFault(value) === undefined

const baseSchema = z
  .strictObject({
    formatVersion: z.literal(FORMAT_VERSION),
    files: filesSchema(baseFault, isText),
    dropped: filesSchema(baseFault, (value) => value === null || isText(value)).default(new Map()),
    restyled: filesSchema(baseFault, isText).default(new Map()),
    moves: filesSchema(baseFault, isPath).default(new Map()),
  })
  .superRefine(({ files, dropped }, context) => {
    const twins = sameOnSomeDisks([...files.keys(), ...dropped.keys()])
    if (twins)
      context.addIssue({ code: 'custom', message: `"${twins[0]}" and "${twins[1]}" are the same file` })
  })

/** Like pathFault, but also refuses `.env`: its secrets would be committed with the base. */
function baseFault(path: string): string | undefined {
  return pathFault(path) ?? (/^\.env$/i.test(path) ? 'is never generated' : undefined)
}

/**
 * Reads base.json as untrusted input.
 * @throws UserError (refused) for anything that the generator did not write
 */
export function parseBase(text: string): Base {
  const { formatVersion, ...base } = parseRecord('base.json', text, baseSchema)
  return base
}

/** The text of base.json. */
export function baseText({ files, ...others }: Base): string {
  const sorted = Object.entries({ files, ...others }).map(
    ([key, texts]: [string, Base['dropped']]) => [key, sortedByKey(Object.fromEntries(texts))] as const,
  )
  const filled = sorted.filter(([key, texts]) => key === 'files' || Object.keys(texts).length > 0)
  return jsonText({ formatVersion: FORMAT_VERSION, ...Object.fromEntries(filled) })
}

/** The base of a new project. */
export function firstBase(files: Files): Base {
  return { files, dropped: new Map(), restyled: new Map(), moves: new Map() }
}

/** Whether two bases have the same texts, in any order. What the owner moved can be found again. */
export const isSameBase = (one: Base, { moves, ...other }: Base): boolean =>
  isDeepStrictEqual(one, { ...other, moves: one.moves })

/** The texts that an update compares with. Includes earlier generated files that are generated again. */
export function baseFor({ files, dropped }: Base, next: Files): Files {
  const again = [...dropped].filter(
    (entry): entry is [string, string] => entry[1] !== null && next.has(entry[0]),
  )
  return new Map([...files, ...again])
}
