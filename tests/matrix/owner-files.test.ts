import { describe, expect, it } from 'vitest'
import { editOnDisk } from './owner-edits.ts'
import { allFiles, flagsOf, type Memory, projectOf, regenerate, stateNamed } from './project.ts'

const to = (name: string) => flagsOf(stateNamed(name))
const write = (memory: Memory, files: Record<string, string>) =>
  editOnDisk(memory, (all) => Object.assign(all, files))
const append = (memory: Memory, path: string, text: string) =>
  editOnDisk(memory, (all) => {
    all[path] += text
  })

describe('a line of equals signs in a text of the owner', () => {
  it('is no conflict marker', async () => {
    const memory = await projectOf(stateNamed('none sqlite'))
    const path = 'emails/layout.txt'
    write(memory, { [path]: 'Ours\n=======\n\nText\n' })
    const { exitCode, stdout } = await regenerate(memory, to('complete B sqlite'))
    expect({ exitCode, stdout }).toMatchObject({
      exitCode: 4,
      stdout: expect.stringContaining(`CONFLICT: ${path}`),
    })
    for (const conflict of stdout.matchAll(/CONFLICT: (\S+)/g))
      write(memory, { [conflict[1] ?? '']: 'Ours\n=======\n\nText\n' })
    expect((await regenerate(memory, ['--continue'])).exitCode).toBe(0)
  })
})

describe('settings that the owner appended to .env.example', () => {
  it.each([
    ['none sqlite', 'complete B sqlite'],
    ['complete B sqlite', 'basic A postgres'],
    ['basic A postgres', 'none postgres'],
  ])('survive: %s → %s', async (from, target) => {
    const memory = await projectOf(stateNamed(from))
    append(memory, '.env.example', '\n# Ours\nSHOP_KEY=change-me\n')
    const { exitCode } = await regenerate(memory, to(target))
    expect(exitCode).toBe(0)
    expect(allFiles(memory)['.env.example']).toMatch(/\n\n# Ours\nSHOP_KEY=change-me\n$/)
  })
})

describe('a report names', () => {
  it('other files with settings, which need the same change as .env', async () => {
    const memory = await projectOf(stateNamed('complete A sqlite'))
    write(memory, { '.env.production': 'SECRET_KEY=a\n', '.env.test.local': '' })
    const note = '.env.production, .env.test.local: not changed; change them like .env'
    expect((await regenerate(memory, [...to('complete B sqlite'), '--dry-run'])).stdout).toContain(note)
    expect((await regenerate(memory, [])).stdout).not.toContain('.env.production')
  })
})

it('files that root writes belong to the owner of the project', async () => {
  const memory = await projectOf(stateNamed('none sqlite'))
  const { volume } = memory
  const all = (folder = '/work/my-api'): string[] => [
    folder,
    ...volume.readdirSync(folder, { encoding: 'utf8' }).flatMap((name) => {
      const path = `${folder}/${name}`
      return volume.statSync(path).isDirectory() ? all(path) : [path]
    }),
  ]
  for (const path of all()) volume.chownSync(path, 1234, 1235)
  volume.chownSync('/work/my-api/README.md', 77, 78)
  await regenerate(memory, to('complete B sqlite'))
  const owners = all().map((path) => `${path} ${volume.statSync(path).uid} ${volume.statSync(path).gid}`)
  expect(owners.filter((line) => !line.endsWith(' 1234 1235'))).toEqual(['/work/my-api/README.md 77 78'])
})
