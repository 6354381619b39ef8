import { join } from 'node:path'
import { pathFault } from '../project/path-rules.ts'
import { filesSchema } from '../project/records.ts'
import type { FileSystem, Files } from '../system/file-system.ts'
import { readJson } from '../system/read-json.ts'
import type { Decision } from './file.ts'

const isPath = (value: unknown): value is string =>
  typeof value === 'string' && pathFault(value) === undefined

/**
 * Reads `blueprints/moved.json`: the files whose path changed in a newer version.
 * @returns old path → new path
 * @throws JsonFault if the file is invalid
 */
export function readMoved(fs: FileSystem, blueprints: string): Files {
  const file = join(blueprints, 'moved.json')
  if (!fs.existsSync(file)) return new Map()
  return readJson(fs.readFileSync(file, 'utf8'), filesSchema(pathFault, isPath))
}

/**
 * Adds the new path of the code to the decision for a moved file that the owner keeps, if this project has that path.
 */
export function withNewHome(moved: Files, next: Files, path: string, decision: Decision): Decision {
  const newHome = moved.get(path)
  if (decision.action !== 'yours' || newHome === undefined || !next.has(newHome)) return decision
  return { ...decision, newHome }
}
