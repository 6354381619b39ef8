import { mkdtempSync, realpathSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { installPackages } from '../support/packages.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder for all files that these tests write; removed at the end. */
    drafts: string
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const drafts = realpathSync(mkdtempSync(join(tmpdir(), 'create-authsmith-data-')))
  const removePackages = installPackages(project)
  project.provide('drafts', drafts)
  return async () => {
    await rm(drafts, { recursive: true, force: true })
    await removePackages()
  }
}
