import { spawn } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CopyError, type DatabaseKind, messageOf } from './database.ts'

const packages = {
  sqlite: {
    name: 'better-sqlite3',
    range: '^12.11.1 || ^13.2.0',
    hint: ', and may compile it, for a minute or two',
  },
  postgres: { name: 'pg', range: '^8.23.1', hint: '' },
}

/**
 * The driver's module: the project's own, where it has it. Otherwise npm, which comes with Node.js, fetches it into a
 * temporary folder, which goes when the process ends: the project needs it for this one command only.
 * @throws CopyError where it cannot be fetched or loaded, with what to install instead
 */
export async function loadDriver(kind: DatabaseKind, say: (line: string) => void): Promise<unknown> {
  const { name, range, hint } = packages[kind]
  const project = createRequire(import.meta.url)
  if (isInstalled(project, name)) return project(name)

  const byHand = `install it with: npm install --no-save ${name}@"${range}"`
  say(`${name} is not installed here: npm fetches it into a temporary folder${hint}.`)
  const folder = mkdtempSync(join(tmpdir(), 'db-copy-'))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }))
  const manifest = { private: true, dependencies: { [name]: range }, allowScripts: { [name]: true } }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(manifest))
  const fault = await npmInstall(folder)
  if (fault) throw new CopyError(`npm cannot fetch ${name} (${fault}); ${byHand}`)
  try {
    return createRequire(join(folder, 'package.json'))(name)
  } catch (error) {
    throw new CopyError(`${name} cannot be loaded (${messageOf(error)}); ${byHand}`)
  }
}

function isInstalled(project: NodeJS.Require, name: string): boolean {
  try {
    project.resolve(name)
    return true
  } catch {
    return false
  }
}

/** @returns why it failed, if it did */
function npmInstall(folder: string): Promise<string | undefined> {
  return new Promise((resolve) => {
    // On Windows npm is a script, which only a shell can start. Nothing in the line comes from outside.
    const child = spawn('npm', ['install', '--no-audit', '--no-fund', '--loglevel=error'], {
      cwd: folder,
      shell: process.platform === 'win32',
      stdio: ['ignore', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.on('data', (text) => {
      errors += text
    })
    child.once('error', (error) => resolve(messageOf(error)))
    child.once('close', (code) => {
      const [, reason] = /^npm error (?!code |syscall |errno |path )(.+)/m.exec(errors) ?? []
      resolve(code === 0 ? undefined : (reason ?? `exit code ${code}`))
    })
  })
}
