import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { delimiter, dirname, join } from 'node:path'

/**
 * A Node, from the registry.
 * @typedef {object} Node
 * @property {string} version
 * @property {string} bin the folder of its program
 * @property {string} headers for native modules that are compiled
 */

/**
 * What differs between the package managers.
 * @typedef {object} PackageManager
 * @property {string} package
 * @property {string[]} frozen installs what the lock file lists
 */

/** @type {Record<string, PackageManager>} */
export const packageManagers = {
  npm: { package: 'npm', frozen: ['ci'] },
  pnpm: { package: 'pnpm', frozen: ['install', '--frozen-lockfile'] },
  yarn: { package: '@yarnpkg/cli-dist', frozen: ['install', '--immutable'] },
  bun: { package: 'bun', frozen: ['install', '--frozen-lockfile'] },
}

/**
 * Runs a program of packages from the registry, in a cache of its own: parallel runs would replace each other's files.
 * @param {string} scratch
 * @param {string[]} packages
 * @param {string} script
 */
function execute(scratch, packages, script) {
  const cache = join(scratch, 'programs')
  mkdirSync(cache, { recursive: true })
  const args = [
    'exec',
    '--yes',
    '--cache',
    cache,
    ...packages.map((name) => `--package=${name}`),
    '--call',
    script,
  ]
  return execFileSync('npm', args, {
    cwd: cache,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'ignore'],
  }).trim()
}

/**
 * @param {string} scratch
 * @returns the folder with the programs of all package managers but npm, which is that of this machine
 */
export function installPackageManagers(scratch) {
  const { npm: _npm, ...others } = packageManagers
  const packages = Object.values(others).map((one) => one.package)
  return dirname(execute(scratch, packages, 'command -v pnpm'))
}

/**
 * @param {string} scratch
 * @param {string} version a major version
 * @returns {Node}
 */
export function installNode(scratch, version) {
  const print = 'node --print "process.version + process.execPath"'
  const [, exact = '', program = ''] =
    /^(v[\d.]+)(.+)$/.exec(execute(scratch, [`node@${version}`], print)) ?? []
  const headers = join(dirname(dirname(program)), 'node_modules', `node-${process.platform}-${process.arch}`)
  return { version: exact, bin: dirname(program), headers }
}

/** What a program needs from this machine. Excludes what npm sets for its scripts, and CI. */
const PASSED_ON =
  /^(HOME|USER|LANG|LC_\w+|TMPDIR|CC|CXX|CCACHE_\w+|\w+_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|npm_config_(registry|cache|cafile|userconfig))$/i

/**
 * The environment of a user who has this Node first in their PATH.
 * @param {Node} node
 * @param {string} tools the folder of the package managers
 */
export function environmentOf(node, tools) {
  const own = Object.entries(process.env).filter(([name]) => PASSED_ON.test(name))
  const path = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'))
  return {
    ...Object.fromEntries(own),
    PATH: [node.bin, tools, ...path].join(delimiter),
    npm_config_nodedir: node.headers,
    GIT_AUTHOR_NAME: 'Stranger',
    GIT_AUTHOR_EMAIL: 'stranger@example.com',
    GIT_COMMITTER_NAME: 'Stranger',
    GIT_COMMITTER_EMAIL: 'stranger@example.com',
  }
}

/**
 * Runs a program until it ends, or until it has printed something: then it is told to end.
 * @param {string[]} command
 * @param {{ cwd: string, env: NodeJS.ProcessEnv, until?: RegExp, check?: (output: string) => Promise<void> }} options
 * `check` runs before the program is told to end
 * @returns {Promise<string>} its output
 * @throws Error with its last lines if it failed, or ended too early
 */
export function run([program = '', ...args], { cwd, env, until, check }) {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, { cwd, env, stdio: ['ignore', 'pipe', 'pipe'], detached: true })
    const end = () => child.pid && process.kill(-child.pid, 'SIGTERM')
    process.once('exit', end)
    let output = ''
    let isFound = false
    /** @type {unknown} */
    let fault
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part) => {
        output += part
        if (isFound || !until?.test(output)) return
        isFound = true
        Promise.resolve(check?.(output))
          .catch((error) => {
            fault = error
          })
          .finally(end)
      })
    child.once('error', reject)
    child.once('close', (code) => {
      process.off('exit', end)
      // A package manager that is told to end may report that as a failure of the script.
      if (fault === undefined && (until ? isFound : code === 0)) return resolve(output)
      const reason = fault ?? (isFound || !until ? `exit code ${code}` : `ended before ${until}`)
      const last = output.trim().split('\n').slice(-40).join('\n')
      reject(new Error(`${[program, ...args].join(' ')}: ${reason}\n${last}`))
    })
  })
}
