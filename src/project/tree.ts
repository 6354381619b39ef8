import type { FileSystem } from '../system/file-system.ts'
import { type DiskFile, readDisk } from './disk.ts'
import { projectFiles } from './files.ts'

/** The files of a project, each read at most once: every step of a command sees the same. */
export interface Tree {
  /** The paths of all files, except what tools leave there and `.env` files. */
  readonly paths: readonly string[]
  /** The paths of the owner's other settings, such as `.env.production`. */
  readonly envPaths: readonly string[]
  readonly file: (path: string) => DiskFile
  /** The text of a file; undefined if it has none. */
  readonly text: (path: string) => string | undefined
}

/** Reads the files of a project as they are asked for. @param project absolute path */
export function readTree(fs: FileSystem, project: string): Tree {
  const files = new Map<string, DiskFile>()
  const file = (path: string): DiskFile => {
    const known = files.get(path) ?? readDisk(fs, project, path)
    files.set(path, known)
    return known
  }
  let paths: readonly string[] | undefined
  return {
    // Not every command needs them, and a project can have many files.
    get paths() {
      paths ??= projectFiles(fs, project)
      return paths
    },
    get envPaths() {
      return fs
        .readdirSync(project)
        .filter((name) => /^\.env\.(?!.*example$)/.test(name))
        .sort()
    },
    file,
    text: (path) => {
      const found = file(path)
      return found.kind === 'text' ? found.text : undefined
    },
  }
}

/** The texts of some of a project's files, by path. */
export function textsAt(tree: Tree, isWanted: (path: string) => boolean): Map<string, string> {
  return new Map(
    tree.paths.filter(isWanted).flatMap((path): [string, string][] => {
      const text = tree.text(path)
      return text === undefined ? [] : [[path, text]]
    }),
  )
}
