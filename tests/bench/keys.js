import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { compare } from './compare.js'
import { CORE, createService, currentUser, registered, start } from './service.js'

const USER = 'alice'

/**
 * Asks for the current user with tokens of each algorithm: a signature is verified once, so all take the same time.
 * @param {string} scratch an existing folder
 * @param {import('./service.js').Load} load
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>} the first is HS256
 */
export async function measureKeys(scratch, load, rounds) {
  const project = createService(scratch, 'sqlite', 'jwks')
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = []
  try {
    const programs = []
    for (const algorithm of ['HS256', 'EdDSA', 'ES256', 'RS256']) {
      const folder = join(project, 'data', algorithm)
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
      const { child, url } = await start(project, 'dist/server.js', settings, CORE)
      children.push(child)
      await registered(url, USER)
      const request = await currentUser(url, USER)
      programs.push({ name: algorithm, goal: 0.97, pid: child.pid, request, mark: USER })
    }
    return await compare(programs, load, rounds)
  } finally {
    for (const child of children) child.kill()
  }
}
