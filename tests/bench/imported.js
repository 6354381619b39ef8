import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { median } from './figures.js'
import { createService, registered, start } from './service.js'

const ROUNDS = 51
/** Requests before the first round: a kind is as slow as its last eight verifications. */
const WARM_UP = 10

/** Hashes as other systems store them, with the costs that those have by default. */
const HASHES = {
  'bcrypt-10': '$2b$10$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW',
  'bcrypt-12': '$2b$12$t2eqNluw1mBmxXW6UpOCR.kdEDoqFXt3l9ut8uGXbgpRgo7gRKUQW',
  argon2id:
    '$argon2id$v=19$m=19456,t=2,p=1$c29tZXNhbHRzb21lc2FsdA$kQPzUAzJ0FcN5cDbvrzsHdb3q2hcNbUKzpNvNrRPnZg',
  django: 'pbkdf2_sha256$600000$1salt$7P9nwLc4mEGaI4QEXqirtgU2QIn0M2eaAspel9YLHlo=',
  'django-scrypt':
    'scrypt$16384$seasalt2NaCl0$8$1$B2XVqqRNH/cg74Va0OGm+QEk4Zgr1G5thtdNbPP89FZGeCDG9RKYGWsIYCyt3wVcuD8Ic/t2mk1CzxzgduCCGg==',
  passlib:
    '$pbkdf2-sha512$25000$03oPofReK8X4P4cwpjRmbA$9N.iShfJEtMwYcZEhuQ9ljgpQJHnB8StjcQ.EKzxoJNgD3qSqKRlwYHx2pKtQdDOr5.UHT1hjlOZr85x6WdQSw',
  phpass: '$H$93Qzm/KJc7luEvt5PaVpUl/Qo4YMID/',
  wordpress: '$wp$2y$10$NnLdfWVGOfKvYoGmH5.HPeXCV5Q5Vjpcc1zFL9QYkoVRdK8TKlaPq',
}

/**
 * Measures how long a log-in with a wrong password takes for a user of each kind of hash.
 * @param {string} scratch an existing folder
 * @returns {Promise<import('./command.js').Figure[]>}
 */
export async function measureImported(scratch) {
  const project = createService(scratch, 'sqlite', 'import')
  const lines = Object.entries(HASHES).map(([username, hashed_password]) =>
    JSON.stringify({ username, email: `${username}@example.com`, hashed_password }),
  )
  writeFileSync(join(project, 'users.ndjson'), lines.join('\n'))
  const { child, url } = await start(project, 'dist/server.js', { RATE_LIMIT_ENABLED: 'false' })
  try {
    await registered(url, 'own')
    execFileSync(process.execPath, ['dist/commands/user.js', 'import', 'users.ndjson'], {
      cwd: project,
      env: { ...process.env, NODE_ENV: 'production' },
      stdio: 'inherit',
    })
    const names = ['nobody', 'own', ...Object.keys(HASHES)]
    /** @type {Record<string, number[]>} */
    const times = {}
    for (let round = -WARM_UP; round < ROUNDS; round += 1)
      for (const name of names) {
        const ms = await failedLogIn(url, name)
        if (round >= 0) times[name] = [...(times[name] ?? []), ms]
      }
    const unknown = median(times.nobody)
    return names.map((name) => ({
      what: `a wrong password, ${name}`,
      value: `${median(times[name]).toFixed(0)} ms, ${(median(times[name]) / unknown).toFixed(3)} of an unknown user's`,
      goal: '0.9 to 1.1',
    }))
  } finally {
    child.kill()
  }
}

/** @param {string} url @param {string} username @returns {Promise<number>} milliseconds */
async function failedLogIn(url, username) {
  const startedAt = performance.now()
  const answer = await fetch(`${url}/api/v1/auth/login`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ username, password: 'Wrong-Horse-7' }),
  })
  await answer.text()
  if (answer.status !== 401) throw new Error(`${username}: ${answer.status}`)
  return performance.now() - startedAt
}
