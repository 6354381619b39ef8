import { mkdirSync, mkdtempSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { succeed } from '../support/command.ts'
import { freshFiles } from './living-project.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder whose node_modules holds the dependencies of a generated project, for both databases. */
    modules: string
    /** A folder for all files that these tests write; removed at the end. */
    drafts: string
  }
}

/** Installs what a project of mode complete needs on both databases, once. TEST_MODULES names a folder that already has them. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const drafts = realpathSync(mkdtempSync(join(tmpdir(), 'create-authsmith-data-')))
  const modules = process.env.TEST_MODULES || (await install(join(drafts, 'modules')))
  project.provide('modules', modules)
  project.provide('drafts', drafts)
  return () => rm(drafts, { recursive: true, force: true })
}

async function install(folder: string): Promise<string> {
  const [sqlite, postgres] = (['sqlite', 'postgres'] as const).map((database) =>
    JSON.parse(freshFiles('complete-b', database).get('package.json') ?? ''),
  )
  const dependencies = { ...sqlite.dependencies, ...postgres.dependencies }
  const devDependencies = { ...sqlite.devDependencies, ...postgres.devDependencies }
  mkdirSync(folder)
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...sqlite, dependencies, devDependencies }))
  await succeed('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
  return folder
}
