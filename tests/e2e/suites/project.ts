import { existsSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, inject, test } from 'vitest'
import { run, succeed } from '../harness/command.ts'
import { newDatabase, serverMissing } from '../harness/database.ts'
import type { Report } from '../harness/project.ts'

/** What holds for a fresh project of any variant: its files, its scripts, its repository, its migrations. */
export function projectSuite(project: () => Report): void {
  const cwd = () => project().directory
  const npm = (...args: string[]) => succeed('npm', args, { cwd: cwd() })
  const git = async (...args: string[]) => (await succeed('git', args, { cwd: cwd() })).stdout

  test('is installed and committed, and holds exactly the files of the report', async () => {
    const { ok, exitCode, files, steps } = project()
    expect({ ok, exitCode }).toEqual({ ok: true, exitCode: 0 })
    expect(steps.map(({ name, status }) => [name, status])).toEqual([
      ['install', 'done'],
      ['git', 'done'],
    ])
    const committed = (await git('ls-files')).trim().split('\n')
    expect(committed.filter((file) => file !== 'package-lock.json').sort()).toEqual(
      files.filter((file) => file !== '.env').sort(),
    )
    expect(await git('log', '--format=%an')).toBe('Stranger\n')
    expect(await git('status', '--porcelain')).toBe('')
  })

  test('keeps .env to its owner, out of git and out of images', async () => {
    expect(statSync(join(cwd(), '.env')).mode & 0o777).toBe(0o600)
    expect(await git('check-ignore', '.env')).toBe('.env\n')
    expect(readFileSync(join(cwd(), '.dockerignore'), 'utf8').split('\n')).toContain('.env')
    expect(readFileSync(join(cwd(), '.env'), 'utf8')).not.toContain('change-me')
  })

  test('npm run check passes', () => npm('run', 'check'))

  test('npm test passes', async () => {
    const env = { NO_COLOR: '1', ...(await testServers(project())) }
    const { stdout } = await succeed('npm', ['test'], { cwd: cwd(), env })
    expect(stdout).toMatch(/Tests +\d+ passed/)
  })

  test('npm run build passes, and leaves the repository clean', async () => {
    await npm('run', 'build')
    expect(existsSync(join(cwd(), 'dist/server.js'))).toBe(true)
    expect(await git('status', '--porcelain')).toBe('')
  })

  test('npm run db:generate has nothing to add', async () => {
    const { stdout } = await npm('run', 'db:generate')
    expect(stdout).toContain('No schema changes')
    expect(await git('status', '--porcelain')).toBe('')
  })
}

/** The tests of a project for PostgreSQL where nobody runs a server. */
export function pgliteSuite(project: () => Report): void {
  test('npm test passes without a server, on PGlite', async () => {
    const { stdout } = await succeed('npm', ['test'], { cwd: project().directory, env: { NO_COLOR: '1' } })
    expect(stdout).toMatch(/Tests +\d+ passed/)
  })
}

/** The servers that the tests of a project may use: those for PostgreSQL need none, and do more with one. */
async function testServers(project: Report): Promise<Record<string, string>> {
  const redis = inject('redis')
  return {
    ...(project.answers.database === 'postgres' &&
      !serverMissing('postgres') && { TEST_DATABASE_URL: (await newDatabase(project)).env.DATABASE_URL }),
    ...('url' in redis && { TEST_REDIS_URL: redis.url }),
  }
}

/** Settings that stop the service: one line says which and how to mend it, and never the value. */
export function refusedSettingsSuite(project: () => Report, refused: Record<string, string>[]): void {
  test.each(refused)('does not start with %o', async (settings) => {
    const [[name, value]] = Object.entries(settings) as [[string, string]]
    const result = await run('node', ['dist/server.js'], {
      cwd: project().directory,
      env: { PORT: '0', ...settings },
    })
    expect(result.code).toBe(1)
    expect(result.stdout + result.stderr).toMatch(new RegExp(`^.*\\b${name}\\b.+$`, 'm'))
    // A short word may be part of what the line explains.
    if (value.length > 8) expect(result.stdout + result.stderr).not.toContain(value)
    expect(result.stdout + result.stderr).not.toMatch(/^\s+at /m)
  })
}

/** The values of a project's file of settings. */
export function settingsOf(cwd: string, file: '.env' | '.env.example'): Record<string, string> {
  const lines = readFileSync(join(cwd, file), 'utf8').matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
}
