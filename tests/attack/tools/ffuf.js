import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startAttacked } from '../service.js'
import { outputOf } from './program.js'

/** Files of the project and its working directory, pages for development, and ways out of a folder. */
const words = [
  ...[
    '.env',
    '.git/config',
    '.git/HEAD',
    '.authsmith/manifest.json',
    '.npmrc',
    '.dockerignore',
    'Dockerfile',
  ],
  ...[
    'package.json',
    'package-lock.json',
    'tsconfig.json',
    'compose.yaml',
    'Caddyfile',
    'README.md',
    'AGENTS.md',
  ],
  ...['src/server.ts', 'dist/server.js', 'dist', 'node_modules', 'migrations', 'emails/verification.html'],
  ...['data/app.db', 'app.db', 'data', 'backup.sql', 'dump.sql', 'db.sqlite'],
  ...['docs', 'docs/', 'docs/json', 'openapi.json', 'swagger', 'swagger.json', 'graphql', 'api-docs'],
  ...[
    'dev',
    'dev/home.json',
    'dev/mailbox',
    'dev/mailbox/messages',
    'dev/mailbox/messages/1/html',
    'debug',
    'metrics',
    'status',
  ],
  ...['admin', 'api', 'api/v1', 'api/v1/admin', 'api/v1/users', 'api/v1/users/1', 'api/v2/users/me'],
  ...[
    '..',
    '../package.json',
    '..%2fpackage.json',
    '%2e%2e/package.json',
    '..%5cpackage.json',
    '....//package.json',
  ],
  ...['pages/..%2fpackage.json', 'pages/%2e%2e%2f.env', '%00', '%ff', '%c0%ae%c0%ae/', '//example.com', '\\'],
  ...[
    '__proto__',
    'constructor',
    'server-status',
    'wp-login.php',
    'phpinfo.php',
    '.well-known/openid-configuration',
  ],
]
/** A path that the service serves: a run that does not find it proves nothing. */
const known = 'health/live'
const endings = ['', '/', '.bak', '~', '.json', '%00', '?a=1', ';a', '%20']

/**
 * Looks for paths that a service in production must not serve.
 * @param {import('../target.js').Target} target
 * @returns {Promise<string[]>} the paths that it does not refuse
 */
export async function runFfuf(target) {
  const service = await startAttacked(target)
  const folder = mkdtempSync(join(tmpdir(), 'create-authsmith-ffuf-'))
  const list = join(folder, 'paths')
  const report = join(folder, 'report.json')
  const paths = words.flatMap((word) => endings.map((ending) => word + ending))
  writeFileSync(list, [known, ...paths].join('\n'))
  try {
    const refused = ['-mc', 'all', '-fc', '400,404,414']
    const { code, output } = await outputOf('ffuf', [
      ...[
        '-u',
        `${service.url}/FUZZ`,
        '-w',
        list,
        '-o',
        report,
        '-of',
        'json',
        '-t',
        '4',
        '-s',
        '-maxtime',
        '300',
      ],
      ...refused,
    ])
    if (code !== 0) throw new Error(`ffuf exited with code ${code}: ${output.slice(-1_000)}`)
    /** @type {{ results: { url: string, status: number }[] }} */
    const { results } = JSON.parse(readFileSync(report, 'utf8'))
    const found = results.map(({ url, status }) => `ffuf, ${url}: ${status}`)
    const expected = `ffuf, ${service.url}/${known}: 200`
    if (!found.includes(expected)) throw new Error(`ffuf does not find ${known}: ${output.slice(-1_000)}`)
    return found.filter((line) => line !== expected)
  } finally {
    await service.stop()
    rmSync(folder, { recursive: true, force: true })
  }
}
