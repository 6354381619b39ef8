import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')

/**
 * The variants that are attacked by default: every account service, on the database that needs no server. Those of mode
 * complete have all add-ons.
 */
export const variants = ['basic-a-sqlite', 'basic-b-sqlite', 'complete-a-sqlite-all', 'complete-b-sqlite-all']

/**
 * A created project with installed dependencies. A part must not change it.
 * @typedef {object} Target
 * @property {string} variant its name, as in examples/
 * @property {string} folder
 */

/**
 * Creates a project with the CLI, as a user does.
 * @param {string} scratch an existing folder
 * @param {string} variant
 * @returns {Target}
 */
export function createTarget(scratch, variant) {
  const [mode = '', profile = '', database = '', all] = variant.split('-')
  const folder = join(scratch, variant)
  const answers = ['--mode', mode, '--profile', profile.toUpperCase(), '--database', database, '--no-git']
  const addOns = all ? allAddOns(profile) : ['none']
  execFileSync(process.execPath, [bin, folder, ...answers, '--add', addOns.join()], { stdio: 'inherit' })
  return { variant, folder }
}

/** The names of all add-ons of mode complete. @param {string} profile @returns {string[]} */
function allAddOns(profile) {
  const schema = JSON.parse(execFileSync(process.execPath, [bin, '--print-schema'], { encoding: 'utf8' }))
  /** @type {string[]} */
  const names = schema.properties.addOns.items.enum
  return names.filter((name) => name !== 'admin' || profile.toLowerCase() === 'b')
}

/**
 * Opens a project that exists, and reads its variant from its manifest.
 * @param {string} folder
 * @returns {Target}
 */
export function openTarget(folder) {
  const manifest = JSON.parse(readFileSync(join(folder, '.authsmith/manifest.json'), 'utf8'))
  const { mode, profile, database, addOns } = manifest.answers
  const hasAll = mode === 'complete' && allAddOns(profile).every((name) => addOns.includes(name))
  return {
    variant: [mode, profile, database, ...(hasAll ? ['all'] : [])].filter(Boolean).join('-').toLowerCase(),
    folder: resolve(folder),
  }
}
