import { cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { environmentOf, packageManagers, run } from './programs.js'

const command = join(import.meta.dirname, '../../bin/create-authsmith.js')

/**
 * @typedef {object} Cell
 * @property {string} folder for the project
 * @property {string} packageManager
 * @property {string} tools the folder of the package managers
 * @property {import('./programs.js').Node} node
 * @property {import('./programs.js').Node | undefined} imageNode that of the Dockerfile, if it is another one
 * @property {string} mode
 * @property {string[]} tests arguments for Vitest
 */

/**
 * What a user does in their first hour, in this order. Each throws if it fails.
 * @type {Record<string, (cell: Cell) => Promise<unknown>>}
 */
const steps = {
  async create(cell) {
    const answers = ['--profile', 'B', '--database', 'sqlite', '--package-manager', cell.packageManager]
    const flags = [...answers.slice(cell.mode === 'none' ? 2 : 0), '--yes']
    const program = ['node', command, cell.folder, '--mode', cell.mode, ...flags]
    await inside(cell, program, { cwd: join(cell.folder, '..') })
  },
  check: (cell) => script(cell, 'check'),
  test: (cell) => script(cell, 'test', ...cell.tests),
  build: (cell) => script(cell, 'build'),
  start: (cell) => startService(cell),
  /** The lock file that this Node wrote, in an image with another one. */
  image: async (cell) => {
    if (!cell.imageNode) return
    const image = { ...cell, node: cell.imageNode, folder: `${cell.folder}-image` }
    const left = new Set(['node_modules', 'dist', 'data', '.git'].map((name) => join(cell.folder, name)))
    cpSync(cell.folder, image.folder, { recursive: true, filter: (path) => !left.has(path) })
    await inside(image, [cell.packageManager, ...(packageManagers[cell.packageManager]?.frozen ?? [])])
    await script(image, 'build')
    await startService(image)
    await script(image, 'test', ...cell.tests)
  },
  /** Changes package.json, so it installs again. */
  async switch(cell) {
    const mode = cell.mode === 'basic' ? 'none' : 'basic'
    const profile = cell.mode === 'none' ? ['--profile', 'B'] : []
    await inside(cell, ['node', command, 'regenerate', '--mode', mode, ...profile, '--yes'])
    await script(cell, 'check')
    await script(cell, 'build')
  },
  restart: (cell) => startService(cell),
}

export const STEPS = Object.keys(steps)

/**
 * Runs all steps until one fails.
 * @param {Cell} cell
 * @returns {Promise<{ results: string[], failure?: string }>} the seconds of each step
 */
export async function runCell(cell) {
  /** @type {string[]} */
  const results = []
  for (const step of Object.values(steps)) {
    const start = performance.now()
    try {
      await step(cell)
      results.push(String(Math.round((performance.now() - start) / 1000)))
    } catch (error) {
      const failure = error instanceof Error ? error.message : String(error)
      writeFileSync(`${cell.folder}.failure.txt`, failure)
      const rest = STEPS.slice(results.length + 1).map(() => '')
      return { results: [...results, 'FAILED', ...rest], failure }
    }
  }
  return { results }
}

/**
 * @param {Cell} cell
 * @param {string[]} program
 * @param {Partial<Parameters<typeof run>[1]>} [options]
 */
function inside({ folder, node, tools }, program, options) {
  return run(program, { cwd: folder, env: environmentOf(node, tools), ...options })
}

/** @param {Cell} cell @param {string[]} args */
function script(cell, ...args) {
  const dashes = cell.packageManager === 'npm' && args.length > 1 ? ['--'] : []
  return inside(cell, [cell.packageManager, 'run', String(args[0]), ...dashes, ...args.slice(1)])
}

/** Starts the built service as a user does, and asks whether it is ready. @param {Cell} cell */
function startService(cell) {
  const env = {
    ...environmentOf(cell.node, cell.tools),
    PORT: '0',
    HOST: '127.0.0.1',
    NODE_ENV: 'development',
  }
  return inside(cell, [cell.packageManager, 'run', 'start'], {
    env,
    until: /database ready/,
    check: async (output) => {
      const [, url] = /listening at (http:\/\/127\.0\.0\.1:\d+)/.exec(output) ?? []
      const { status } = await fetch(`${url}/health/ready`)
      if (status !== 200) throw new Error(`GET /health/ready: ${status}`)
    },
  })
}
