import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'

const FROZEN = join(import.meta.dirname, '../frozen')

/** The released versions whose projects are kept. */
export const FROZEN_VERSIONS = readdirSync(FROZEN, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map((entry) => entry.name)

/** The names of a version's projects: "complete-b-sqlite". @param {string} version @returns {string[]} */
export function frozenVariants(version) {
  return readdirSync(join(FROZEN, version)).map((file) => file.replace('.json.br', ''))
}

/**
 * A project as that version created it: the text of each file by its path.
 * @param {string} version
 * @param {string} variant
 * @returns {Record<string, string>}
 */
export function frozenProject(version, variant) {
  const compressed = readFileSync(join(FROZEN, version, `${variant}.json.br`))
  return JSON.parse(brotliDecompressSync(compressed).toString())
}
