import { createRequire } from 'node:module'
import { join } from 'node:path'
import type { Database } from '../answers/variant.ts'
import { failed } from '../system/errors.ts'
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

/** @param project absolute path of the project */
export function driversOf(system: System, project: string) {
  const { fs } = system
  const cache = join(project, 'node_modules/.cache/create-authsmith')
  const folders: string[] = []
  return {
    /**
     * Loads a driver from the project. If the project does not have it, npm installs it beside the packages of the project,
     * where it stays for the next run: it may compile for minutes.
     * @throws UserError (failed) if it cannot be installed or loaded, with the command that installs it
     */
    load: async (kind: Database): Promise<unknown> => {
      const { name, range, hint } = DRIVERS[kind]
      const unavailable = (what: string) =>
        failed(`${what}. Install it with: npm install --no-save ${name}@"${range}"`)
      // What is compiled for one line of Node does not load in another, and a newer generator may need another version.
      const kept = join(
        cache,
        `${name}@${range.replace(/[^\d.]+/g, '_')}-node${parseInt(system.nodeVersion, 10)}`,
      )
      let from = requireFrom(project)
      if (!isInstalled(from, name)) {
        if (!fs.existsSync(kept)) {
          const folder = temporaryFolder(system, cache)
          folders.push(folder)
          const manifest = { private: true, dependencies: { [name]: range }, allowScripts: { [name]: true } }
          fs.writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
          const done = system.progress(() => `Fetching ${name}, because the project does not have it${hint}`)
          const fault = await npmInstall(system, folder).finally(done)
          if (fault) throw unavailable(`npm cannot fetch ${name} (${fault})`)
          fs.renameSync(folder, kept)
        }
        from = requireFrom(kept)
      }
      try {
        return from(name)
      } catch (error) {
        // The next run installs it again.
        fs.rmSync(kept, { recursive: true, force: true })
        throw unavailable(`${name} cannot be loaded (${messageOf(error)})`)
      }
    },
    /** Deletes what is only half installed. */
    remove: () => {
      // The next run removes what stays.
      try {
        for (const folder of folders) fs.rmSync(folder, { recursive: true, force: true, maxRetries: 3 })
      } catch {}
    },
  }
}

const TEMPORARY = /^driver-(\d+)-/

/** @throws UserError (failed) if it cannot be created */
function temporaryFolder(system: System, cache: string): string {
  const { fs, pid } = system
  try {
    fs.mkdirSync(cache, { recursive: true })
    removeStale(system, cache, TEMPORARY)
    return fs.mkdtempSync(join(cache, `driver-${pid}-`))
  } catch (error) {
    const reason = reasonOf(error)
    if (reason === undefined) throw error
    throw failed(
      `Cannot write ${cache}: ${reason}. Make it writable, or install the project's packages with the driver`,
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
