import { startAttacked } from '../service.js'
import { outputOf } from './program.js'

const connections = 200
const seconds = 20

/** Slow headers, slow bodies, and answers that are read slowly. @type {Record<string, string[]>} */
const modes = {
  'slow headers': ['-H', '-u', '/health/live'],
  'slow bodies': ['-B', '-f', 'application/json', '-s', '16384', '-u', '/api/v1/auth/login'],
  'slow reads': ['-X', '-k', '5', '-u', '/health/live'],
}

/**
 * Holds connections open with slow requests, and checks whether the service still answers others.
 * @param {import('../target.js').Target} target
 * @returns {Promise<string[]>} the kinds of requests during which it did not
 */
export async function runSlowhttptest(target) {
  const service = await startAttacked(target, { LOG_LEVEL: 'error' })
  try {
    const findings = []
    for (const [what, mode] of Object.entries(modes)) {
      const args = mode.map((arg) => (arg.startsWith('/') ? service.url + arg : arg))
      const { output } = await outputOf('slowhttptest', [
        ...args,
        ...['-c', String(connections), '-r', '100', '-i', '2', '-l', String(seconds), '-p', '5'],
      ])
      const answers = [...output.matchAll(/service available:\s*(\w+)/g)].map(([, answer]) => answer)
      if (answers.length === 0 || answers.includes('NO'))
        findings.push(`slowhttptest, ${what}: ${answers.join(', ') || output.slice(-1_000)}`)
    }
    return findings
  } finally {
    await service.stop()
  }
}
