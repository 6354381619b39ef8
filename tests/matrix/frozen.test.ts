import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { FROZEN_VERSIONS, frozenProject, frozenVariants } from '../support/frozen-projects.js'
import { allFiles, freshTree, nameOf, projectOf, regenerate, run, STATES, tree } from './project.ts'

const PROJECTS = FROZEN_VERSIONS.flatMap((version) =>
  frozenVariants(version).map((variant) => ({ version, variant })),
)
const MOVED: Record<string, string> = JSON.parse(readFileSync('blueprints/moved.json', 'utf8'))
const isSource = (path: string) => /^(src|test)\/.*\.ts$/.test(path)
const stateOf = (variant: string) => {
  const state = STATES.find((answers) => nameOf(answers).toLowerCase().replaceAll(' ', '-') === variant)
  if (!state) throw new Error(`Unknown variant ${variant}`)
  return state
}

describe('a project created by an older version', () => {
  it('is told what changes in its layers, and no more', async () => {
    const changes = async (variant: string) => {
      const memory = await projectOf(stateOf(variant))
      memory.volume.rmSync('/work/my-api', { recursive: true })
      memory.volume.fromJSON(frozenProject('0.1.0', variant), '/work/my-api')
      memory.volume.writeFileSync('/CHANGELOG.md', readFileSync('CHANGELOG.md'))
      return (await regenerate(memory, ['--dry-run'])).stdout
    }
    const [postgres, sqlite, none] = await Promise.all(
      ['complete-b-postgres', 'basic-a-sqlite', 'none-sqlite'].map(changes),
    )
    for (const text of [postgres, sqlite, none]) {
      expect(text).toContain('    - A request with two Host headers gets 400.\n')
      expect(text).not.toMatch(/execa|- `regenerate --forget`/)
    }
    expect(postgres).toContain('    - Transactions on PostgreSQL state READ COMMITTED.\n')
    expect(postgres).toContain('    - A password reset verifies the email address that got the token.\n')
    expect(sqlite).toContain(
      '    - A SQLite file and its -wal and -shm get mode 0600, also in an existing folder.\n',
    )
    expect(sqlite).toContain('    - Spaces before and after usernames and email addresses are ignored.\n')
    expect(sqlite).not.toMatch(/READ COMMITTED|A password reset verifies/)
    expect(none).not.toMatch(/READ COMMITTED|usernames and email|A password reset verifies/)
  })

  it.each(PROJECTS)('is updated to the current version: $version $variant', async ({ version, variant }) => {
    const state = stateOf(variant)
    const memory = await projectOf(state)
    memory.volume.rmSync('/work/my-api', { recursive: true })
    const files = frozenProject(version, variant)
    memory.volume.fromJSON(files, '/work/my-api')
    memory.volume.writeFileSync('/CHANGELOG.md', readFileSync('CHANGELOG.md'))

    const release = `\ncreate-authsmith ${version} → ${packageJson.version}: `
    for (const argv of [['status'], ['regenerate', '--check']])
      expect((await run(memory, argv)).stdout).toContain(release)
    const { exitCode, stdout, stderr } = await regenerate(memory, [])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toContain(release)
    expect((await run(memory, ['status'])).stdout).not.toContain(release)
    expect(tree(memory)).toEqual(tree(await projectOf(state)))
    expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
  })

  it.each(PROJECTS)(
    'keeps every edit, at the new path of its file if it merges there, and reports that path: $version $variant',
    async (project) => {
      const { version, variant } = project
      const state = stateOf(variant)
      const memory = await projectOf(state)
      memory.volume.rmSync('/work/my-api', { recursive: true })
      const files = frozenProject(version, variant)
      const fresh = tree(await projectOf(state))
      let left = Object.keys(files).filter((path) => isSource(path) && !(path in fresh))
      const stays = Object.keys(files).filter((path) => isSource(path) && path in fresh)
      const edited = [...left, ...stays].map((path) => [path, `// Edited.\n${files[path]}`])
      memory.volume.fromJSON({ ...files, ...Object.fromEntries(edited) }, '/work/my-api')

      const { stdout } = await regenerate(memory, ['--json'])
      const report: { files: { path: string; action: string; detail?: string; newHome?: string }[] } =
        JSON.parse(stdout)
      const after = allFiles(memory)
      expect(left.length).toBeGreaterThan(10)
      const moves = report.files.filter(
        ({ action, detail }) => action === 'merge' && detail?.startsWith('moved'),
      )
      const carried = moves.map(({ detail = '' }) => detail.replace('moved from ', ''))
      expect(moves.map(({ path }) => path)).toEqual(carried.map((path) => MOVED[path]))
      expect(moves.filter(({ path }) => !after[path]?.includes('// Edited.\n'))).toEqual([])
      expect(carried.length).toBeGreaterThan(0)
      // Other edited files import some of them, which stay too.
      left = left.filter((path) => !carried.includes(path) || path in after)
      expect(left.filter((path) => after[path] !== `// Edited.\n${files[path]}`)).toEqual([])
      expect(stays.filter((path) => !after[path]?.includes('// Edited.\n'))).toEqual([])
      const yours = report.files.filter(({ action }) => action === 'yours')
      expect(yours.map(({ path }) => path).sort()).toEqual(left.sort())
      const homes = Object.fromEntries(yours.map(({ path, newHome }) => [path, newHome]))
      const homeOf = (path: string) => ((MOVED[path] ?? '') in fresh ? MOVED[path] : undefined)
      expect(homes).toEqual(Object.fromEntries(left.map((path) => [path, homeOf(path)])))
      // Files without a successor have no new path: the old copy command, and the code that accepts a former profile.
      expect(left.filter((path) => !homeOf(path) && !/db-copy|former|carried/.test(path))).toEqual([])
    },
  )

  it('is updated in the same way after the fixes of its advisories', async () => {
    const state = stateOf('complete-b-sqlite')
    const memory = await projectOf(state)
    memory.volume.rmSync('/work/my-api', { recursive: true })
    memory.volume.fromJSON(frozenProject('0.1.0', 'complete-b-sqlite'), '/work/my-api')
    expect((await run(memory, ['audit'])).exitCode).toBe(3)
    expect((await run(memory, ['audit', '--fix'])).exitCode).toBe(0)
    const { edited } = JSON.parse((await run(memory, ['status', '--json'])).stdout)
    expect(edited).toEqual([])
    expect(await regenerate(memory, [])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(tree(memory)).toEqual(tree(await projectOf(state)))
    expect((await run(memory, ['audit'])).exitCode).toBe(0)
  })

  it('is not called free of defects if the owner moved and edited the vulnerable files before', async () => {
    const state = stateOf('complete-b-sqlite')
    const memory = await projectOf(state)
    memory.volume.rmSync('/work/my-api', { recursive: true })
    const { ...files } = frozenProject('0.1.0', 'complete-b-sqlite')
    const vulnerable = ['src/problem.ts', 'src/accounts/names.ts', 'src/settings/types.ts']
    for (const path of vulnerable) {
      const other = files[path]?.replace(/^.*[a-z].*$/gm, (line) => `${line} // ours`) ?? ''
      files[`src/lib/${path.split('/').at(-1)}`] = other
      delete files[path]
    }
    memory.volume.fromJSON(files, '/work/my-api')
    const notChecked = async () =>
      JSON.parse((await run(memory, ['audit', '--json'])).stdout).notChecked.map(
        ({ file }: { file: string }) => file,
      )
    expect(await notChecked()).toEqual(expect.arrayContaining(vulnerable))
    expect((await regenerate(memory, [])).exitCode).toBe(0)
    expect(await notChecked()).toEqual([...vulnerable].sort())
    expect((await regenerate(memory, ['--mode', 'basic'])).exitCode).toBe(0)
    expect(await notChecked()).toEqual([...vulnerable].sort())
    expect((await run(memory, ['audit'])).stdout).not.toContain('no advisory applies')
  })

  it('still accepts tokens of the former profile if it switched profiles', async () => {
    const memory = await projectOf(stateOf('complete-b-sqlite'))
    memory.volume.rmSync('/work/my-api', { recursive: true })
    memory.volume.fromJSON(frozenProject('0.1.0', 'complete-b-sqlite'), '/work/my-api')
    const path = '/work/my-api/.authsmith/manifest.json'
    const manifest = JSON.parse(memory.volume.readFileSync(path, 'utf8') as string)
    expect(manifest).not.toHaveProperty('former')
    const history = ['complete-a', 'complete-b']
    memory.volume.writeFileSync(path, JSON.stringify({ ...manifest, history }))
    memory.volume.appendFileSync('/work/my-api/.env', 'PROFILE_A_TOKENS_UNTIL=2026-01-05T00:00:00Z # ours\n')

    expect((await run(memory, ['status'])).stdout).toContain(
      'profile A: accepted until PROFILE_A_TOKENS_UNTIL;',
    )
    expect(await regenerate(memory, [])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(tree(memory)).toEqual(freshTree(stateOf('complete-b-sqlite'), 'A'))
    expect(allFiles(memory)['.env']).toContain('PROFILE_A_TOKENS_UNTIL=2026-01-05T00:00:00Z # ours\n')
    const updated = JSON.parse(allFiles(memory)['.authsmith/manifest.json'] ?? '')
    expect(updated.former).toEqual({ profile: 'A', until: '2026-01-08T00:00:00.000Z' })
    expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
  })
})
