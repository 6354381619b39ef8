import { join } from 'node:path'
import * as z from 'zod'
import packageJson from '../../package.json' with { type: 'json' }
import { ADD_ON_NAMES, type AddOn, withTables } from '../answers/add-ons.ts'
import { type Answers, allAnswers } from '../answers/answers.ts'
import { type Database, STATES, type State, stateOf } from '../answers/variant.ts'
import { refused } from '../system/errors.ts'
import { type FileSystem, foldersFrom, refuseMissingDirectory } from '../system/file-system.ts'
import { jsonText } from '../system/json.ts'
import { compareVersions } from '../system/version.ts'
import { type Base, parseBase } from './base.ts'
import { FOLDER, FORMAT_VERSION, parseRecord, readRecordText, recordFault } from './records.ts'
import { readTree, type Tree } from './tree.ts'

const MAX_HISTORY = 1000
const count = z.int().min(0).max(MAX_HISTORY)
const version = z.string().regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}(-[\w.-]{1,50})?$/, 'must be a version')

const manifestSchema = z
  .strictObject({
    formatVersion: z.literal(FORMAT_VERSION),
    generator: version,
    since: version.optional(),
    answers: allAnswers,
    history: z.array(z.enum(STATES)).min(1).max(MAX_HISTORY),
    migrated: z.strictObject({ sqlite: count, postgres: count }),
    addOnTables: z
      .array(z.enum(withTables(ADD_ON_NAMES)))
      .transform(withTables)
      .optional(),
  })
  .superRefine(({ answers, history, migrated }, context) => {
    const fault = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if (history.at(-1) !== stateOf(answers)) fault('history', 'must end with the state of the answers')
    if (Math.max(migrated.sqlite, migrated.postgres) > history.length) {
      fault('migrated', 'must not exceed the length of the history')
    }
  })

/** What the project was generated from. */
export interface Manifest {
  readonly formatVersion: typeof FORMAT_VERSION
  /** The version of create-authsmith that last wrote the project. */
  readonly generator: string
  /** The version that created the project, if it is another one. */
  readonly since?: string | undefined
  readonly answers: Answers
  /** The states of the project, first to last. */
  readonly history: readonly State[]
  /** How many entries of `history` each database has migrations for. */
  readonly migrated: Readonly<Record<Database, number>>
  /** The add-ons, and what several share, whose tables the project ever had; absent if none. */
  readonly addOnTables?: readonly AddOn[] | undefined
}

/** The manifest of a new project. */
export function firstManifest(answers: Answers): Manifest {
  const tables = withTables(answers.addOns)
  const migrated = { sqlite: 0, postgres: 0, [answers.database]: 1 }
  return {
    formatVersion: FORMAT_VERSION,
    generator: packageJson.version,
    answers,
    history: [stateOf(answers)],
    migrated,
    ...(tables.length > 0 && { addOnTables: tables }),
  }
}

/**
 * Reads manifest.json as untrusted input.
 * @throws UserError (refused) for anything that the generator did not write, or that a newer version wrote
 */
export function parseManifest(text: string): Manifest {
  const manifest = parseRecord('manifest.json', text, manifestSchema)
  if (compareVersions(manifest.generator, packageJson.version) > 0) {
    throw refused(
      `The project was written by create-authsmith ${manifest.generator}, but this is version ${packageJson.version}. ` +
        'Update create-authsmith.',
    )
  }
  return manifest
}

/** The text of manifest.json. */
export function manifestText(manifest: Manifest): string {
  const { formatVersion, generator, since, answers, history, migrated, addOnTables } = manifest
  return jsonText({ formatVersion, generator, since, answers, history, migrated, addOnTables })
}

/** A project on disk, with its files and the texts of its two records as they are. */
export interface Project {
  /** Absolute path. */
  readonly path: string
  readonly tree: Tree
  readonly manifest: Manifest
  readonly manifestText: string
  /** As generated last time; undefined if base.json is missing. */
  readonly base: Base | undefined
  readonly baseText: string | undefined
}

/**
 * Finds the project that contains `cwd`.
 * @throws UserError (refused) if there is none, if its manifest or base is damaged, or if `cwd` was removed
 */
export function readProject(fs: FileSystem, cwd: string): Project {
  refuseMissingDirectory(cwd)
  const path = projectFolder(fs, cwd)
  const text = readRecordText(fs, path, 'manifest.json')
  if (text === undefined) throw recordFault('manifest.json', 'is missing')
  const manifest = parseManifest(text)
  const base = readRecordText(fs, path, 'base.json')
  return {
    path,
    tree: readTree(fs, path),
    manifest,
    manifestText: text,
    base: base === undefined ? undefined : parseBase(base),
    baseText: base,
  }
}

function projectFolder(fs: FileSystem, cwd: string): string {
  const hasRecords = (folder: string) => fs.lstatSync(join(folder, FOLDER), { throwIfNoEntry: false })
  const found = foldersFrom(cwd).find(hasRecords)
  if (found !== undefined) return found
  throw refused(`Not inside a create-authsmith project: no \`${FOLDER}/\` in this directory or any parent.`)
}
