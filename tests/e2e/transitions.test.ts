import { mkdtempSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, inject } from 'vitest'
import { createProject } from './harness/project.ts'
import { transitionsSuite } from './suites/transitions.ts'

describe.each(['sqlite', 'postgres'] as const)('a switch on %s', (database) => {
  let modules: string
  beforeAll(async () => {
    const parent = mkdtempSync(join(inject('scratch'), `transitions-${database}-`))
    modules = (await createProject(parent, ['my-api', '--mode', 'none', '--database', database, '--yes']))
      .directory
  })

  transitionsSuite(database, () => ({ modules, scratch: inject('scratch') }))
})
