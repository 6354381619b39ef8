import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { run, succeed } from '../../support/command.ts'
import { createLinked, createProject, type Report } from '../../support/create-project.ts'
import { newFolder } from '../../support/folder.ts'
import { steps } from '../harness/steps.ts'
import { isInstalled } from '../variants/every-run.ts'

/** Creates a variant. */
export const createVariant = (variant: string, parent: string, flags: readonly string[]) =>
  (isInstalled(variant) ? createProject : createLinked)(parent, flags)

/** Tests of a fresh project for every variant: files, scripts, git repository, migrations. */
export function projectSuite(variant: string, project: () => Report): void {
  const step = steps()
  const cwd = () => project().directory
  const npm = (...args: string[]) => succeed('npm', args, { cwd: cwd() })
  const git = async (...args: string[]) => (await succeed('git', args, { cwd: cwd() })).stdout

  test('the project is committed, and contains exactly the reported files', async () => {
    const { ok, exitCode, files, steps } = project()
    expect({ ok, exitCode }).toEqual({ ok: true, exitCode: 0 })
    expect(steps.map(({ name, status }) => [name, status])).toEqual([
      ['install', isInstalled(variant) ? 'done' : 'skipped'],
      ['git', 'done'],
    ])
    const committed = (await git('ls-files')).trim().split('\n')
    expect(committed.filter((file) => file !== 'package-lock.json').sort()).toEqual(
      files.filter((file) => file !== '.env').sort(),
    )
    expect(committed.includes('package-lock.json')).toBe(isInstalled(variant))
    expect(await git('log', '--format=%an')).toBe('Stranger\n')
    expect(await git('status', '--porcelain')).toBe('')
  })

  test('.env is readable only by its owner, and is kept out of git and images', async () => {
    expect(statSync(join(cwd(), '.env')).mode & 0o777).toBe(0o600)
    expect(await git('check-ignore', '.env')).toBe('.env\n')
    expect(readFileSync(join(cwd(), '.dockerignore'), 'utf8').split('\n')).toContain('.env')
    expect(readFileSync(join(cwd(), '.env'), 'utf8')).not.toContain('change-me')
  })

  if (isInstalled(variant)) installationSuite(cwd)

  // Those of the others run with their own tests, in copies of examples/.
  test.runIf(isInstalled(variant))('npm run check passes', () => npm('run', 'check'))

  // Later tests run dist/.
  step('npm run build passes and leaves the repository clean', async () => {
    await npm('run', 'build')
    expect(existsSync(join(cwd(), 'dist/server.js'))).toBe(true)
    const list = 'additions/common-passwords.txt'
    expect(existsSync(join(cwd(), 'dist', list))).toBe(existsSync(join(cwd(), 'src', list)))
    expect(await git('status', '--porcelain')).toBe('')
  })

  test('npm run db:generate finds no changes', async () => {
    const { stdout } = await npm('run', 'db:generate')
    expect(stdout).toContain('No schema changes')
    expect(await git('status', '--porcelain')).toBe('')
  })
}

/** The packages that npm installs. */
function installationSuite(cwd: () => string): void {
  test('every package that is installed runs on this Node.js and on the oldest that the project promises', async () => {
    const { engines } = JSON.parse(readFileSync(join(cwd(), 'package.json'), 'utf8'))
    const oldest = `${/^>=(\d+\.\d+)$/.exec(engines.node)?.[1]}.0`
    /** Repeats the installation without changes. npm warns about each package with other `engines`. */
    const warnings = async (version: string) => {
      const file = join(newFolder(), 'version.cjs')
      writeFileSync(file, `Object.defineProperty(process, 'version', { value: 'v${version}' })\n`)
      const env = { NODE_OPTIONS: `--require ${JSON.stringify(file)}` }
      const options = { cwd: cwd(), env }
      return (await succeed('npm', ['install', '--dry-run', '--offline'], options)).stderr
    }
    expect(await warnings('18.0.0')).toContain('EBADENGINE')
    for (const version of [oldest, process.versions.node])
      expect(await warnings(version)).not.toContain('EBADENGINE')
  })

  test('the installation is small', () => {
    const folder = join(cwd(), 'node_modules')
    const { packages } = JSON.parse(readFileSync(join(folder, '.package-lock.json'), 'utf8'))
    expect(Object.keys(packages).length).toBeLessThanOrEqual(240)
    const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((file) =>
      file.isFile(),
    )
    const bytes = files.map(({ parentPath, name }) => statSync(join(parentPath, name)).size)
    expect(bytes.reduce((sum, size) => sum + size) / 1e6).toBeLessThanOrEqual(300)
  })
}

/** Invalid settings stop the service with one line that names the setting and the fix, but not the value. */
export function refusedSettingsSuite(project: () => Report, refused: Record<string, string>[]): void {
  test.each(refused)('the service does not start with %o', async (settings) => {
    const [[name, value]] = Object.entries(settings) as [[string, string]]
    const result = await run('node', ['dist/server.js'], {
      cwd: project().directory,
      env: { PORT: '0', ...settings },
    })
    expect(result.code).toBe(1)
    expect(result.stdout + result.stderr).toMatch(new RegExp(`^.*\\b${name}\\b.+$`, 'm'))
    // A short value may be part of the explanation.
    if (value.length > 8) expect(result.stdout + result.stderr).not.toContain(value)
    expect(result.stdout + result.stderr).not.toMatch(/^\s+at /m)
  })
}

/** The settings in a project's .env or .env.example. */
export function settingsOf(cwd: string, file: '.env' | '.env.example'): Record<string, string> {
  const lines = readFileSync(join(cwd, file), 'utf8').matchAll(/^([A-Z][A-Z0-9_]*)=(.*)$/gm)
  return Object.fromEntries([...lines].map(([, name, value]) => [name, value]))
}
