import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'

/**
 * Builds a created project with its own script, but without checking types, which takes most of the time: the tests of
 * each variant build with them.
 * @param {string} folder
 */
export function buildUnchecked(folder) {
  const { scripts } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
  const unchecked = scripts.build.replace('tsc -p tsconfig.build.json', '$& --noCheck')
  if (unchecked === scripts.build) throw new Error(`The script build has no tsc: ${scripts.build}`)
  const PATH = [join(folder, 'node_modules/.bin'), process.env.PATH].join(delimiter)
  execFileSync(unchecked, { cwd: folder, shell: true, stdio: 'inherit', env: { ...process.env, PATH } })
}
