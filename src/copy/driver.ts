import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Database } from '../answers/variant.ts'
import { UserError } from '../system/errors.ts'
import { removeStale } from '../system/stale-folders.ts'
import type { System } from '../system/system.ts'
import { reasonOf } from '../system/system-error.ts'
import { messageOf } from './database.ts'

/** The versions that generated projects install. */
export const DRIVERS = {
  sqlite: {
    name: 'better-sqlite3',
    range: '^12.11.1 || ^13.2.0',
    hint: '; it may compile for a minute or two',
  },
  postgres: { name: 'pg', range: '^8.23.1', hint: '' },
} as const

export interface Drivers {
  /**
   * Loads a driver from the project. If the project does not have it, npm installs it into a temporary folder for this
   * run.
   * @throws UserError (failed) if it cannot be installed or loaded, with the command that installs it
   */
  load(kind: Database): Promise<unknown>
  /** Deletes the temporary folders. */
  remove(): void
}

/** @param project absolute path of the project */
export function driversOf(system: System, project: string): Drivers {
  const { fs } = system
  const folders: string[] = []
  return {
    load: async (kind) => {
      const { name, range, hint } = DRIVERS[kind]
      const failed = (what: string) =>
        new UserError('failed', `${what}. Install it with: npm install --no-save ${name}@"${range}"`)
      let from = requireFrom(project)
      if (!isInstalled(from, name)) {
        const folder = temporaryFolder(system)
        folders.push(folder)
        const manifest = { private: true, dependencies: { [name]: range }, allowScripts: { [name]: true } }
        fs.writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
        const done = system.progress(
          () => `Fetching ${name} for this run, because the project does not have it${hint}`,
        )
        const fault = await npmInstall(system, folder).finally(done)
        if (fault) throw failed(`npm cannot fetch ${name} (${fault})`)
        from = requireFrom(folder)
      }
      try {
        return from(name)
      } catch (error) {
        throw failed(`${name} cannot be loaded (${messageOf(error)})`)
      }
    },
    remove: () => {
      for (const folder of folders) {
        try {
          fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
        } catch (error) {
          system.warn(`${folder} could not be deleted (${messageOf(error)}). Delete it yourself.\n`)
        }
      }
    },
  }
}

const TEMPORARY = /^create-authsmith-driver-(\d+)-/

/** @throws UserError (failed) if it cannot be created */
function temporaryFolder(system: System): string {
  const { fs, temporary, pid } = system
  removeStale(system, temporary, TEMPORARY)
  try {
    return fs.mkdtempSync(join(temporary, `create-authsmith-driver-${pid}-`))
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    throw new UserError(
      'failed',
      `Cannot write the folder for temporary files, ${temporary}: ${reason}. Set TMPDIR to another one`,
    )
  }
}

/** @returns why it failed, if it did */
async function npmInstall(system: System, folder: string): Promise<string | undefined> {
  const args = ['install', '--no-audit', '--no-fund', '--loglevel=error']
  const { ok, output } = await system.run('npm', args, { cwd: folder, signal: system.signal })
  const [, reason] = /^npm error (?!code |syscall |errno |path )(.+)/m.exec(output) ?? []
  return ok ? undefined : (reason ?? output.trim().split('\n')[0])
}

const requireFrom = (folder: string): NodeJS.Require => createRequire(join(folder, 'package.json'))

function isInstalled(project: NodeJS.Require, name: string): boolean {
  try {
    project.resolve(name)
    return true
  } catch {
    return false
  }
}
