import {
  chmodSync,
  copyFileSync,
  existsSync,
  linkSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { planOf } from '../../src/blueprints/layers.ts'
import { renderOnce } from './blueprints.ts'
import { succeed } from './command.ts'
import { exampleAnswers } from './examples.ts'
import { type Installed, packagesFor } from './needed-packages.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** A folder whose node_modules holds the packages of every variant, once `ready` exists: await-packages.ts waits. */
    modules: string
    /** The file that is written when they are installed. It holds the error if that failed. */
    ready: string
  }
}

interface Installation {
  readonly modules: string
  readonly ready: string
  readonly ended: Promise<void>
}

declare global {
  /** The one of this run: each project of vitest.config.ts loads its own copy of this file. */
  var installation: Installation | undefined
}

/** With it, an installation takes the compiled driver from a folder instead of GitHub. */
const PREBUILT = 'npm_config_better_sqlite3_local_prebuilds'

/**
 * Installs the packages of all variants, and compiles better-sqlite3, once in a run: the projects of the tests link them.
 * Faster tests run meanwhile. TEST_MODULES names a folder that keeps the packages for the next run.
 * @returns what removes them
 */
export function installPackages(project: TestProject): () => Promise<void> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), 'create-authsmith-packages-')))
  chmodSync(scratch, 0o711)
  globalThis.installation ??= startInstallation(scratch)
  const { modules, ready, ended } = globalThis.installation
  project.provide('modules', modules)
  project.provide('ready', ready)
  return async () => {
    await ended
    await rm(scratch, { recursive: true, force: true })
  }
}

function startInstallation(scratch: string): Installation {
  const modules = process.env.TEST_MODULES || join(scratch, 'union')
  const ready = join(scratch, 'ready')
  const prebuilt = join(scratch, 'prebuilt')
  process.env[PREBUILT] ||= prebuilt
  const install = async () => {
    if (!existsSync(join(modules, 'node_modules/.package-lock.json'))) await installUnion(modules)
    await packDriver(modules, prebuilt)
  }
  const ended = install().then(
    () => writeFile(ready, ''),
    (error: Error) => writeFile(ready, error.message),
  )
  return { modules, ready, ended }
}

async function installUnion(folder: string): Promise<void> {
  const all = [...exampleAnswers().values()].map((answers) =>
    JSON.parse(renderOnce(planOf(answers)).get('package.json') ?? ''),
  )
  const joined = (part: string) => Object.assign({}, ...all.map((manifest) => manifest[part]))
  const parts = ['dependencies', 'devDependencies', 'overrides', 'allowScripts']
  const manifest = { private: true, ...Object.fromEntries(parts.map((part) => [part, joined(part)])) }
  mkdirSync(folder, { recursive: true })
  await writeFile(join(folder, 'package.json'), JSON.stringify(manifest))
  await succeed('npm', ['install', '--no-audit', '--no-fund'], { cwd: folder })
}

/** Packs the compiled driver into a folder, as its authors pack theirs. */
async function packDriver(modules: string, folder: string): Promise<void> {
  const cwd = join(modules, 'node_modules/better-sqlite3')
  const { version } = JSON.parse(readFileSync(join(cwd, 'package.json'), 'utf8'))
  const { platform, arch, versions } = process
  const name = `better-sqlite3-v${version}-node-v${versions.modules}-${platform}-${arch}.tar.gz`
  mkdirSync(folder)
  await succeed('tar', ['-czf', join(folder, name), 'build/Release/better_sqlite3.node'], { cwd })
}

/**
 * Gives a project the packages that its package.json asks for, as hard links, in place of those that it has. This takes
 * less than a second. A package that package.json forgot is missing, as after an installation.
 */
export function linkPackages(project: string, modules: string): void {
  const { packages }: Installed = JSON.parse(
    readFileSync(join(modules, 'node_modules/.package-lock.json'), 'utf8'),
  )
  rmSync(join(project, 'node_modules'), { recursive: true, force: true })
  const needed = packagesFor(JSON.parse(readFileSync(join(project, 'package.json'), 'utf8')), packages)
  for (const path of needed) linkFolder(join(modules, path), join(project, path))
  mkdirSync(join(project, 'node_modules/.bin'))
  for (const path of needed) {
    const name = path.slice('node_modules/'.length)
    if (name.includes('node_modules/')) continue
    for (const [bin, file] of Object.entries(packages[path]?.bin ?? {}))
      symlinkSync(join('..', name, file), join(project, 'node_modules/.bin', bin))
  }
}

/** Links the files of a package, without the packages inside it. */
function linkFolder(from: string, to: string): void {
  mkdirSync(to, { recursive: true })
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    if (entry.name === 'node_modules') continue
    const [source, target] = [join(from, entry.name), join(to, entry.name)]
    if (entry.isDirectory()) linkFolder(source, target)
    else linkFile(source, target)
  }
}

function linkFile(source: string, target: string): void {
  try {
    linkSync(source, target)
  } catch (error) {
    // TEST_MODULES may be on another file system.
    if ((error as NodeJS.ErrnoException).code !== 'EXDEV') throw error
    copyFileSync(source, target)
  }
}
