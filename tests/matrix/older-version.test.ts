import { describe, expect, it } from 'vitest'
import packageJson from '../../package.json' with { type: 'json' }
import { allowedAddOns } from '../../src/answers/add-ons.ts'
import type { Answers } from '../../src/answers/answers.ts'
import { MOVED, OLDER } from '../support/older-version.ts'
import {
  allFiles,
  flagsOf,
  type Memory,
  olderFiles,
  olderProject,
  projectOf,
  regenerate,
  run,
  STATES,
  stateNamed,
  tree,
} from './project.ts'

const COMPLETE = stateNamed('complete B sqlite')
const METRICS = 'src/plugins/metrics.ts'
const withAll = (state: Answers): Answers => ({ ...state, addOns: allowedAddOns(state) })
const CASES = [...STATES, withAll(COMPLETE), withAll(stateNamed('complete A postgres'))].map((state) => ({
  state,
  name: [...flagsOf(state), ...state.addOns].join(' '),
}))
const isSource = (path: string) => /^(src|test)\/.*\.ts$/.test(path)

describe('a project created by an older version', () => {
  it.each(CASES)('is updated to this version: $name', async ({ state }) => {
    const memory = await olderProject(state)
    const release = `\ncreate-authsmith ${OLDER} → ${packageJson.version}: https://unpkg.com/create-authsmith@${packageJson.version}/CHANGELOG.md\n`
    for (const argv of [['status'], ['regenerate', '--check']])
      expect((await run(memory, argv)).stdout).toContain(release)
    const { exitCode, stdout, stderr } = await regenerate(memory, [])
    expect({ exitCode, stderr }).toEqual({ exitCode: 0, stderr: '' })
    expect(stdout).toContain(release)
    expect((await run(memory, ['status'])).stdout).not.toContain('→')
    expect(tree(memory)).toEqual(tree(await projectOf(state)))
    expect(allFiles(memory)['.authsmith/manifest.json']).toContain(`"since": "${OLDER}"`)
    expect((await run(memory, ['regenerate', '--check'])).exitCode).toBe(0)
  })

  it.each(CASES)(
    'keeps every edit, at the new path of its file if that moved, and names the others: $name',
    async ({ state }) => {
      const files = await olderFiles(state)
      const fresh = tree(await projectOf(state))
      const sources = Object.keys(files).filter(isSource)
      const moves = sources.filter((path) => path in MOVED)
      const gone = sources.filter((path) => !(path in MOVED) && !(path in fresh))
      const edited = (path: string) => `void 'edited'\n${files[path]}`
      const memory = await olderProject(
        state,
        Object.fromEntries(sources.map((path) => [path, edited(path)])),
      )

      const { stdout } = await regenerate(memory, ['--json'])
      const report: { exitCode: number; files: { path: string; action: string; detail?: string }[] } =
        JSON.parse(stdout)
      const after = allFiles(memory)
      expect(report.exitCode).toBe(0)
      expect(moves.length).toBeGreaterThan(1)
      expect(gone.length).toBe(2)
      for (const path of moves) {
        expect(after[MOVED[path] ?? '']).toBe(`void 'edited'\n${fresh[MOVED[path] ?? '']}`)
        expect(report.files).toContainEqual({
          path: MOVED[path],
          action: 'merge',
          detail: `moved from ${path}`,
        })
      }
      for (const path of gone) {
        expect(after[path]).toBe(edited(path))
        expect(report.files).toContainEqual(expect.objectContaining({ path, action: 'yours' }))
      }
      const others = sources.filter((path) => path in fresh && !(path in MOVED))
      expect(others.filter((path) => after[path] !== `void 'edited'\n${fresh[path]}`)).toEqual([])
    },
  )

  const filesOf = (findings: { file: string }[]) => findings.map(({ file }) => file)
  const audit = async (memory: Memory, ...argv: string[]) =>
    JSON.parse((await run(memory, ['audit', '--json', ...argv])).stdout)

  it.each([
    { state: COMPLETE, vulnerable: ['src/app.ts'] },
    { state: withAll(COMPLETE), vulnerable: ['src/app.ts', METRICS] },
  ])('is updated in the same way after the fixes of $vulnerable', async ({ state, vulnerable }) => {
    const memory = await olderProject(state)
    expect(filesOf((await audit(memory)).advisories)).toEqual(vulnerable)
    expect(filesOf((await audit(memory, '--fix')).fixed)).toEqual(vulnerable)
    const { edited } = JSON.parse((await run(memory, ['status', '--json'])).stdout)
    expect(edited).toEqual([])
    expect(await regenerate(memory, [])).toMatchObject({ exitCode: 0, stderr: '' })
    expect(tree(memory)).toEqual(tree(await projectOf(state)))
    expect((await audit(memory)).exitCode).toBe(0)
  })

  it('has its defects found and fixed in an edited file of an add-on that goes', async () => {
    const state: Answers = { ...COMPLETE, addOns: ['metrics'] }
    const ours = `void 'ours'\n${(await olderFiles(state))[METRICS]}`
    const memory = await olderProject(state, { [METRICS]: ours })
    expect((await run(memory, ['remove', 'metrics', '--no-install'])).exitCode).toBe(0)
    expect(filesOf((await audit(memory)).advisories)).toEqual([METRICS])
    expect((await audit(memory, '--fix')).exitCode).toBe(0)
    expect(tree(memory)[METRICS]).toBe(`void 'ours'\n${tree(await projectOf(state))[METRICS]}`)
  })

  it('is not called free of defects if the owner moved and edited the vulnerable file before', async () => {
    const memory = await olderProject(COMPLETE)
    const { 'src/app.ts': app = '' } = allFiles(memory)
    memory.volume.rmSync('/work/my-api/src/app.ts')
    const ours = app.replace(/^.*[a-z].*$/gm, (line) => `${line} // ours`)
    memory.volume.fromJSON({ '/work/my-api/src/lib/app.ts': ours.replace('1024 * 1024', '2 ** 20') })
    const notChecked = async () => filesOf((await audit(memory)).notChecked)
    expect(await notChecked()).toEqual(['src/app.ts'])
    expect((await regenerate(memory, [])).exitCode).toBe(0)
    expect(await notChecked()).toEqual(['src/app.ts'])
    expect((await regenerate(memory, ['--mode', 'basic'])).exitCode).toBe(0)
    expect(await notChecked()).toEqual(['src/app.ts'])
    expect((await run(memory, ['audit'])).stdout).not.toContain('no advisory applies')
  })
})
