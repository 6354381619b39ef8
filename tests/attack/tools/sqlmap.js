import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ordinaryBody } from '../cost/bodies.js'
import { createCallers } from '../cost/callers.js'
import { readOperations } from '../document.js'
import { startAttacked } from '../service.js'
import { outputOf } from './program.js'

const settings = { DOCS_ENABLED: 'true', RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'error' }

/** Every technique but the time-based ones, which read the speed of the machine. */
const technique = 'BEUS'

/**
 * Tries SQL injection in every field of every endpoint.
 * @param {import('../target.js').Target} target
 * @returns {Promise<string[]>} the findings
 */
export async function runSqlmap(target) {
  const service = await startAttacked(target, settings)
  const folder = mkdtempSync(join(tmpdir(), 'create-authsmith-sqlmap-'))
  try {
    const findings = []
    for (const [number, operation] of (await readOperations(service)).entries()) {
      const { name, method, path, body, isProtected } = operation
      if (!body && !path.includes('{')) continue
      const url = service.url + path.replaceAll(/\{\w+\}/g, '1*')
      // A user for each endpoint: one of them changes the password.
      const callers = await createCallers(service, isProtected ? 1 : 0, `sqlmap-${number}-`)
      const args = [
        ...['-u', url, '--method', method, '--dbms', 'sqlite', '--technique', technique, '--level', '2'],
        ...(body
          ? ['--data', JSON.stringify(ordinaryBody(body)), '-H', 'Content-Type: application/json']
          : []),
        ...(isProtected ? ['-H', `Authorization: Bearer ${callers.tokenOf(0)}`] : []),
        ...['--batch', '--flush-session', '--ignore-code', '*', '--disable-coloring'],
      ]
      const { code, output } = await outputOf('sqlmap', args, folder)
      // A run that tested nothing is no proof.
      const isTested = /all tested parameters do not appear to be injectable/.test(output)
      if (code !== 0 || !isTested) findings.push(`sqlmap, ${name}:\n${output.slice(-1_500)}`)
    }
    const errors = service.logs()
    return [...findings, ...(errors.length > 0 ? [`sqlmap, the log:\n${errors.slice(0, 5).join('\n')}`] : [])]
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
