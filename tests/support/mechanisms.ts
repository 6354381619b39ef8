import fs, { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { Plan } from '../../src/blueprints/layers.ts'
import { render } from '../../src/blueprints/render.ts'
import type { Files } from '../../src/system/file-system.ts'

/** The folder of the tests that no owner gets. Its folders are layers, as those of blueprints/. */
export const MECHANISMS = 'tests/mechanisms'

/** The tests of mechanisms for a project, by the paths at which they run in it. */
export const mechanismFiles = (plan: Plan): Files => render(fs, MECHANISMS, plan)

/** Adds the tests of mechanisms to a project. @throws Error if the project has a file of the same path */
export function addMechanisms(project: string, plan: Plan): void {
  for (const [path, text] of mechanismFiles(plan)) {
    const file = join(project, path)
    if (existsSync(file)) throw new Error(`${MECHANISMS}: the project has ${path} too`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
}
