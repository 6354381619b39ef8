import nodeFs from 'node:fs'
import { join } from 'node:path'
import type { Plan } from '../../src/blueprints/layers.ts'

import { projectFiles } from '../../src/migrations/project-files.ts'
import type { FileSystem, Files } from '../../src/system/file-system.ts'

/** The folder of the real blueprints. */
export const REAL_BLUEPRINTS = join(import.meta.dirname, '../../blueprints')

/** A file system that reads each file and folder once, for the real blueprints: no test changes them. */
export const readOnceFs: FileSystem = {
  ...nodeFs,
  readdirSync: once(nodeFs.readdirSync),
  readFileSync: once(nodeFs.readFileSync),
}

const rendered = new WeakMap<FileSystem, Map<string, Files>>()

/** The files of a plan, by default from the real blueprints. Each plan is rendered once. */
export function renderOnce(plan: Plan, fs = readOnceFs, blueprints = REAL_BLUEPRINTS): Files {
  const known = rendered.get(fs) ?? new Map<string, Files>()
  rendered.set(fs, known)
  const key = [plan.values.name, ...plan.words].join(' ')
  const files = known.get(key) ?? projectFiles(fs, blueprints, plan)
  known.set(key, files)
  return files
}

function once<Read extends (...args: never[]) => unknown>(read: Read): Read {
  const known = new Map<string, unknown>()
  const reader = (...args: Parameters<Read>) => {
    const key = JSON.stringify(args)
    if (!known.has(key)) known.set(key, read(...args))
    return known.get(key)
  }
  return reader as Read
}
