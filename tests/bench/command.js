import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { median } from './figures.js'

/** @typedef {{ what: string, value: string, goal?: string }} Figure */

const ROUNDS = 31
const bin = join(import.meta.dirname, '../../bin/create-authsmith.js')

/**
 * Measures whole processes. They run in turn, so that other load on the machine affects all of them equally.
 * @param {string} scratch an empty folder
 * @returns {Figure[]}
 */
export function measureCommand(scratch) {
  const basic = ['--mode', 'basic', '--profile', 'B', '--no-install']
  /** @type {Record<string, (round: number) => string[]>} */
  const processes = {
    empty: () => ['-e', '0'],
    version: () => [bin, '--version'],
    help: () => [bin, '--help'],
    project: (round) => [bin, join(scratch, `project-${round}`), ...basic, '--no-git'],
    committed: (round) => [bin, join(scratch, `committed-${round}`), ...basic],
  }
  /** @type {Record<string, number[]>} */
  const times = {}
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const [name, args] of Object.entries(processes)) {
      const startedAt = performance.now()
      execFileSync(process.execPath, args(round), { stdio: 'ignore' })
      times[name] = [...(times[name] ?? []), performance.now() - startedAt]
    }
  }
  const empty = median(times.empty)
  /** @param {string} name */
  const ratio = (name) => `${(median(times[name]) / empty).toFixed(2)} (${median(times[name]).toFixed(0)} ms)`
  return [
    { what: `node -e 0, median of ${ROUNDS}`, value: `${empty.toFixed(0)} ms` },
    { what: '--version, ratio to node -e 0', value: ratio('version'), goal: 'at most 1.3' },
    { what: '--help', value: ratio('help'), goal: 'at most 1.3' },
    { what: 'basic project, --no-install --no-git', value: ratio('project'), goal: 'at most 2.5' },
    { what: 'basic project, --no-install', value: ratio('committed') },
  ]
}
