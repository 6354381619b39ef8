import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, inject, test } from 'vitest'
import { buildUnchecked } from '../support/build.js'
import { createLinked } from '../support/create-project.ts'
import { newFolder } from '../support/folder.ts'
import { missingFor, scenarios } from './list.js'
import type { Database } from './scenario.js'

/** Creates, installs and builds a service of mode complete. @returns its folder */
async function build(database: Database): Promise<string> {
  const answers = ['my-api', '--mode', 'complete', '--profile', 'B', '--database', database, '--no-git']
  const { directory } = await createLinked(newFolder(), answers)
  buildUnchecked(directory)
  return directory
}

const built: Partial<Record<Database, Promise<string>>> = {}
const project = (database: Database) => {
  built[database] ??= build(database)
  return built[database]
}

describe('no acknowledged change is lost, and the service recovers, after', () => {
  for (const scenario of scenarios.filter(({ shortTimes }) => shortTimes > 0)) {
    test(scenario.title, async (context) => {
      const missing = missingFor(scenario)
      if (missing !== undefined) context.skip(missing)
      const scratch = mkdtempSync(join(inject('scratch'), 'failures-'))
      const { counts, faults } = await scenario.run({ times: scenario.shortTimes, scratch, project })
      expect(faults, JSON.stringify(counts)).toEqual([])
    })
  }
})
