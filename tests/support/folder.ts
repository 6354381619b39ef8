import { mkdtempSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { inject } from 'vitest'

/** A new empty folder outside of the repository. */
export function newFolder(): string {
  return mkdtempSync(join(inject('scratch'), 'folder-'))
}

/** Every file below a folder by its path, with its text. */
export function filesBelow(folder: string): Map<string, string> {
  const entries = readdirSync(folder, { withFileTypes: true, recursive: true })
  const files = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name))
  return new Map(files.sort().map((file) => [file.slice(folder.length + 1), readFileSync(file, 'utf8')]))
}
