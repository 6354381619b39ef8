// Covers src/update/owner/own-properties.ts.
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

describe("the owner's column with the property of a new one", () => {
  const path = 'src/db/schema/users.ts'
  const withColumn = async (change: (text: string) => string) => {
    const memory = await projectOf(stateNamed('basic B sqlite'))
    editOnDisk(memory, (all) => {
      all[path] = change(all[path] ?? '')
    })
    return memory
  }
  const beside = (column: string) => (text: string) =>
    text.replace(/(\n {4}username: .*)/, `$1\n    ${column},`)

  it.each(["isVerified: boolean('checked')", "isVerified: boolean('is_verified')"])(
    'is refused before anything is written: %s',
    async (column) => {
      const memory = await withColumn(beside(column))
      const before = allFiles(memory)
      expect(await regenerate(memory, to('complete B sqlite'))).toMatchObject({
        exitCode: 3,
        stderr:
          'create-authsmith: Your property "isVerified" of src/db/schema/users.ts has the name of a property of mode complete B, whose column is "is_verified". Rename your property, and its column if it has that name too, run `db:generate`, then run the command again.\n',
      })
      expect(allFiles(memory)).toEqual(before)
      // The advice. Without Drizzle Kit, no migration of the owner has the column yet: the switch does not need it.
      editOnDisk(memory, (all) => {
        all[path] = (all[path] ?? '').replace(column, "isChecked: boolean('checked')")
      })
      expect(await regenerate(memory, to('complete B sqlite'))).toMatchObject({ exitCode: 0, stderr: '' })
      expect(
        allFiles(memory)
          [path]?.match(/\b(isVerified|isChecked): boolean\('\w+'\)/g)
          ?.sort(),
      ).toEqual(["isChecked: boolean('checked')", "isVerified: boolean('is_verified')"])
    },
  )

  it('is not refused in another table of the file, or if the owner repeats a name', async () => {
    const own = "\nexport const checks = table('checks', { id: id(), isVerified: boolean('is_verified') })\n"
    const other = await withColumn((text) => text + own)
    expect(await regenerate(other, to('complete B sqlite'))).toMatchObject({ exitCode: 0, stderr: '' })
    const twice = await withColumn(beside("a: text('a'),\n    a: text('a')"))
    expect(await regenerate(twice, to('complete B sqlite'))).toMatchObject({ exitCode: 0, stderr: '' })
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
