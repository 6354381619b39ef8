import { runFfuf } from './ffuf.js'
import { hasProgram } from './program.js'
import { runSlowhttptest } from './slowhttptest.js'
import { runSqlmap } from './sqlmap.js'

/** @type {Record<string, (target: import('../target.js').Target) => Promise<string[]>>} */
const programs = { sqlmap: runSqlmap, ffuf: runFfuf, slowhttptest: runSlowhttptest }

/**
 * Attacks a service with programs from Debian. One that is missing is skipped.
 * @param {import('../target.js').Target} target
 * @returns {Promise<import('../run.js').Figure[]>}
 */
export async function attackWithTools(target) {
  const figures = []
  for (const [name, run] of Object.entries(programs)) {
    if (!hasProgram(name)) {
      console.log(`skipped: ${name} is not installed, and only root can install it with apt-get`)
      continue
    }
    const findings = await run(target)
    for (const finding of findings) console.log(finding)
    const { length } = findings
    figures.push({ what: `findings of ${name}`, value: `${length}`, goal: '0', isMissed: length > 0 })
  }
  return figures
}
