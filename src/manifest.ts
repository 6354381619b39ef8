import { dirname, join } from 'node:path'
import * as z from 'zod'
import packageJson from '../package.json' with { type: 'json' }
import { type Answers, answerFields } from './answers.ts'
import { type Base, parseBase } from './base.ts'
import { UserError } from './errors.ts'
import type { FileSystem } from './file-system.ts'
import { STATES, type State, stateOf } from './migrations/state.ts'
import { FOLDER, FORMAT_VERSION, ownFault, ownText, parseOwn, readOwnText } from './own-files.ts'

const MAX_HISTORY = 1000
const count = z.int().min(0).max(MAX_HISTORY)

const manifestSchema = z
  .strictObject({
    formatVersion: z.literal(FORMAT_VERSION),
    generator: z.string().regex(/^\d{1,9}\.\d{1,9}\.\d{1,9}(-[\w.-]{1,50})?$/, 'must be a version'),
    answers: z.strictObject({ ...answerFields, profile: answerFields.profile.optional() }),
    history: z.array(z.enum(STATES)).min(1).max(MAX_HISTORY),
    migrated: z.strictObject({ sqlite: count, postgres: count }),
  })
  .superRefine(({ answers, history, migrated }, context) => {
    const fault = (path: string, message: string) =>
      context.addIssue({ code: 'custom', path: [path], message })
    if ((answers.mode === 'none') !== (answers.profile === undefined)) {
      fault('answers', 'every mode but none has a profile')
    } else if (history.at(-1) !== stateOf(answers as Answers)) {
      fault('history', 'must end with what the answers say')
    }
    if (Math.max(migrated.sqlite, migrated.postgres) > history.length) {
      fault('migrated', 'is more than the history has')
    }
  })

/** What the project was generated from. */
export interface Manifest {
  readonly formatVersion: typeof FORMAT_VERSION
  /** The version of create-authsmith that wrote the project last. */
  readonly generator: string
  readonly answers: Answers
  /** The states that the project went through, first to last. */
  readonly history: readonly State[]
  /** How many entries of `history` the migrations of each database have followed. */
  readonly migrated: Readonly<Record<Answers['database'], number>>
}

/** The manifest of a project that is written for the first time. */
export function firstManifest(answers: Answers): Manifest {
  const migrated = { sqlite: 0, postgres: 0, [answers.database]: 1 }
  return {
    formatVersion: FORMAT_VERSION,
    generator: packageJson.version,
    answers,
    history: [stateOf(answers)],
    migrated,
  }
}

/** @throws UserError (refused) for anything that the generator did not write, and for what a newer one wrote */
export function parseManifest(text: string): Manifest {
  const manifest = parseOwn('manifest.json', text, manifestSchema) as Manifest
  if (isNewer(manifest.generator, packageJson.version)) {
    throw new UserError(
      'refused',
      `the project was written by create-authsmith ${manifest.generator}, and this is ${packageJson.version}; ` +
        'run npx create-authsmith@latest',
    )
  }
  return manifest
}

export function manifestText(manifest: Manifest): string {
  const { formatVersion, generator, answers, history, migrated } = manifest
  const { name, mode, profile, database, packageManager } = answers
  const ordered = { name, mode, ...(profile && { profile }), database, packageManager }
  return ownText({ formatVersion, generator, answers: ordered, history, migrated })
}

/** A project that was found, with the texts of its two files as they are. */
export interface Project {
  /** Absolute path. */
  readonly path: string
  readonly manifest: Manifest
  readonly manifestText: string
  /** As generated last time; undefined where the file is missing. */
  readonly base: Base | undefined
  readonly baseText: string | undefined
}

/**
 * Finds the project that `cwd` is in.
 * @throws UserError (refused) where there is none, or its manifest or base is damaged
 */
export function readProject(fs: FileSystem, cwd: string): Project {
  const path = projectFolder(fs, cwd)
  const text = readOwnText(fs, path, 'manifest.json')
  if (text === undefined) throw ownFault('manifest.json', 'is not there')
  const manifest = parseManifest(text)
  const base = readOwnText(fs, path, 'base.json')
  return {
    path,
    manifest,
    manifestText: text,
    base: base === undefined ? undefined : parseBase(base),
    baseText: base,
  }
}

function projectFolder(fs: FileSystem, cwd: string): string {
  for (let folder = cwd; ; folder = dirname(folder)) {
    if (fs.lstatSync(join(folder, FOLDER), { throwIfNoEntry: false })) return folder
    if (folder === dirname(folder)) {
      throw new UserError(
        'refused',
        `no project of create-authsmith is here or above: no folder holds ${FOLDER}/manifest.json`,
      )
    }
  }
}

function isNewer(version: string, than: string): boolean {
  const parts = (text: string) => (text.split('-', 1)[0] ?? '').split('.').map(Number)
  const [a, b] = [parts(version), parts(than)]
  const at = a.findIndex((part, index) => part !== b[index])
  return at >= 0 && (a[at] ?? 0) > (b[at] ?? 0)
}
