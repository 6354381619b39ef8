import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
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
  it.each(PROJECTS)('is updated to the current version: $version $variant', async ({ version, variant }) => {
    const state = stateOf(variant)
    const memory = await projectOf(state)
    memory.volume.rmSync('/work/my-api', { recursive: true })
    const files = frozenProject(version, variant)
    memory.volume.fromJSON(files, '/work/my-api')

    const { exitCode, stderr } = await regenerate(memory, [])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(tree(memory)).toEqual(tree(await projectOf(state)))
    expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
  })

  it.each(PROJECTS)(
    'keeps every edited file and reports its new path: $version $variant',
    async (project) => {
      const { version, variant } = project
      const state = stateOf(variant)
      const memory = await projectOf(state)
      memory.volume.rmSync('/work/my-api', { recursive: true })
      const files = frozenProject(version, variant)
      const fresh = tree(await projectOf(state))
      const left = Object.keys(files).filter((path) => isSource(path) && !(path in fresh))
      const stays = Object.keys(files).filter((path) => isSource(path) && path in fresh)
      const edited = [...left, ...stays].map((path) => [path, `// Edited.\n${files[path]}`])
      memory.volume.fromJSON({ ...files, ...Object.fromEntries(edited) }, '/work/my-api')

      const { stdout } = await regenerate(memory, ['--json'])
      const report: { files: { path: string; action: string; newHome?: string }[] } = JSON.parse(stdout)
      const after = allFiles(memory)
      expect(left.length).toBeGreaterThan(10)
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
