import { chmodSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { succeed } from '../support/command.ts'
import { installPackages } from '../support/packages.ts'
import { findPooler } from '../support/pooler.js'
import { dropDatabases, findPostgres, type PostgresServer } from './harness/postgres.ts'
import { findRedis } from './harness/redis.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder outside the repository for all files that the tests write; removed at the end. */
    scratch: string
    /** The packed CLI. */
    tarball: string
    /** The folder where only the tarball is installed. */
    installed: string
    /** The installed command. */
    bin: string
    /** A git configuration with an identity, so that commits do not depend on the machine. */
    gitConfig: string
    /** Servers that the tests may use, or the reason why one is missing. */
    postgres: PostgresServer | { missing: string }
    redis: { url: string } | { missing: string }
    pooler: { program: string } | { missing: string }
  }
}

const repository = join(import.meta.dirname, '../..')

/** Packs the CLI and installs the tarball once, as a user gets it. */
export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const removePackages = installPackages(project)
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'create-authsmith-e2e-')))
  // Tests of mechanisms start the service as another user, who has to reach the project.
  chmodSync(scratch, 0o711)
  await succeed('npm', ['pack', '--pack-destination', scratch], { cwd: repository })
  const tarball = join(scratch, readdirSync(scratch).find((file) => file.endsWith('.tgz')) ?? 'missing.tgz')

  const installed = join(scratch, 'installed')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{ "private": true }\n')
  await succeed('npm', ['install', '--no-audit', '--no-fund', tarball], { cwd: installed })

  const gitConfig = join(scratch, 'gitconfig')
  writeFileSync(gitConfig, '[user]\n\tname = Stranger\n\temail = stranger@example.com\n')

  project.provide('scratch', scratch)
  project.provide('tarball', tarball)
  project.provide('installed', installed)
  project.provide('bin', join(installed, 'node_modules/.bin/create-authsmith'))
  project.provide('gitConfig', gitConfig)
  const postgres = await findPostgres()
  project.provide('postgres', postgres)
  project.provide('redis', await findRedis())
  project.provide('pooler', findPooler())
  return async () => {
    // Not synchronously: it takes minutes, and Vitest would report workers as hanging that end meanwhile.
    await rm(scratch, { recursive: true, force: true })
    await removePackages()
    if ('url' in postgres) await dropDatabases(postgres)
  }
}
