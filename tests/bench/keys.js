import { execFileSync } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { compare } from './compare.js'
import { createService, startWithUser } from './service.js'

/**
 * Asks for the current user with tokens of each algorithm: a signature is verified once, so all take the same time.
 * @param {string} scratch an existing folder
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>} the first is HS256
 */
export function measureKeys(scratch, rounds) {
  const project = createService(scratch, 'sqlite', 'jwks')
  const programs = ['HS256', 'EdDSA', 'ES256', 'RS256'].map((algorithm) => {
    const folder = join(project, 'data', algorithm)
    mkdirSync(folder, { recursive: true })
    const settings = {
      JWT_ALGORITHM: algorithm,
      JWT_KEYS_DIR: join(folder, 'keys'),
      DATABASE_URL: `file:${join(folder, 'app.db')}`,
    }
    if (algorithm !== 'HS256')
      execFileSync('npm', ['run', 'keys', '--', 'create'], {
        cwd: project,
        env: { ...process.env, ...settings },
        stdio: 'inherit',
      })
    return { name: algorithm, goal: 0.97, start: () => startWithUser(project, settings) }
  })
  return compare(programs, rounds)
}
