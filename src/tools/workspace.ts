import { join } from 'node:path'
import { relative } from 'node:path/posix'
import type { PackageManager } from '../answers/package-managers.ts'
import { type FileSystem, type Files, foldersFrom, globSource } from '../system/file-system.ts'
import { isObject, type Json, memberOf } from '../system/json.ts'
import { decodeUtf8 } from '../system/read-json.ts'

/** What needs a lock file beside it, or the root of a repository. */
const FOR_ROOT = /^(?:Dockerfile|\.dockerignore|compose[\w.-]*\.ya?ml|\.github\/.*)$/

/** What a package manager reads only from the package.json of a workspace. */
const ROOT_FIELDS = ['overrides', 'resolutions', 'allowScripts', 'dependenciesMeta']

/**
 * The folder above a project whose workspaces have it as a member: the project is installed there, with one lock file.
 * @returns undefined for pnpm: a project with a pnpm-workspace.yaml is a workspace of its own
 */
function workspaceOf(fs: FileSystem, project: string, packageManager: PackageManager): string | undefined {
  if (packageManager === 'pnpm') return undefined
  return above(project).find((folder) => {
    const patterns = patternsIn(fs, folder)
    const path = relative(slashed(folder), slashed(project))
    const matching = patterns.filter((pattern) => matches(pattern, path))
    return matching.length > 0 && matching.at(-1)?.startsWith('!') === false
  })
}

/** The files of a project. A member of a workspace keeps what it has of those for a root, but gets none. */
export function filesFor(
  fs: FileSystem,
  project: string,
  packageManager: PackageManager,
  files: Files,
  present: Files = new Map(),
): Files {
  if (workspaceOf(fs, project, packageManager) === undefined) return files
  return new Map([...files].filter(([path]) => present.has(path) || !FOR_ROOT.test(path)))
}

/** What differs in a workspace. */
export function workspaceNotes(
  fs: FileSystem,
  project: string,
  packageManager: PackageManager,
  files: Files,
): string[] {
  const folder = workspaceOf(fs, project, packageManager)
  if (folder !== undefined) {
    const manifest: Json = JSON.parse(files.get('package.json') ?? '{}')
    const fields = ROOT_FIELDS.filter((field) => isObject(manifest) && manifest[field] !== undefined)
    return [
      `${folder} is a workspace with this project: its lock file is there. Dockerfile, compose.yaml and .github/ are left out, because they need one here`,
      `${packageManager} reads ${fields.join(' and ')} only from ${join(folder, 'package.json')}: copy them there, then run the installation again`,
    ]
  }
  const other = above(project).find((each) => fs.existsSync(join(each, 'pnpm-workspace.yaml')))
  if (packageManager !== 'pnpm' || other === undefined) return []
  return [
    `${other} is a workspace, but this project has its own pnpm-workspace.yaml: it is installed by itself, and its lock file and Dockerfile are here. GitHub reads workflows only at the root of a repository`,
  ]
}

function patternsIn(fs: FileSystem, folder: string): string[] {
  const file = join(folder, 'package.json')
  if (!fs.existsSync(file)) return []
  try {
    const manifest: Json = JSON.parse(decodeUtf8(fs.readFileSync(file)))
    const found = isObject(manifest) ? memberOf(manifest, 'workspaces') : undefined
    // Yarn also knows { packages: [] }.
    const patterns = isObject(found) ? memberOf(found, 'packages') : found
    return Array.isArray(patterns) ? patterns.filter((each) => typeof each === 'string') : []
  } catch {
    // The package manager names a damaged file.
    return []
  }
}

/** Whether a path matches a pattern, or what follows its `!`. */
const matches = (pattern: string, path: string): boolean =>
  new RegExp(`^${globSource(pattern.replace(/^!?(?:\.\/)?|\/$/g, ''))}$`).test(path)

const slashed = (path: string): string => path.replaceAll('\\', '/')

/** The folders above one, from the nearest. */
const above = (folder: string): string[] => foldersFrom(folder).slice(1)
