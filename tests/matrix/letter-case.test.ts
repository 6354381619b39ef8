import { describe, expect, it } from 'vitest'
import type { FileSystem } from '../../src/system/file-system.ts'
import { allFiles, flagsOf, type Memory, projectOf, regenerate, run, stateNamed } from './project.ts'

const ROOT = '/work/my-api/'

/**
 * Finds files as macOS and Windows do: in any case.
 * @param keepsName whether a file that replaces another one gets its name, or the name that is given
 */
function ignoringCase(fs: FileSystem, keepsName: boolean): FileSystem {
  const find = (path: string) => {
    if (!path.startsWith(ROOT)) return path
    return path
      .slice(ROOT.length)
      .split('/')
      .reduce((folder, name) => {
        const isFolder = fs.lstatSync(folder, { throwIfNoEntry: false })?.isDirectory()
        const names = isFolder ? (fs.readdirSync(folder) as string[]) : []
        const found = names.find((each) => each.toLowerCase() === name.toLowerCase())
        return `${folder.replace(/\/$/, '')}/${found ?? name}`
      }, ROOT)
  }
  return new Proxy(fs, {
    get(target, property: keyof FileSystem) {
      const own = target[property] as (...all: unknown[]) => unknown
      return (...args: unknown[]) => {
        const found = args.map((each) => (typeof each === 'string' ? find(each) : each))
        if (property !== 'renameSync' || keepsName) return own.apply(target, found)
        const [from, to] = found as string[]
        if (fs.existsSync(to ?? '')) fs.rmSync(to ?? '')
        const name = String(args[1]).split('/').at(-1)
        return own.call(target, from, `${to?.slice(0, to.lastIndexOf('/'))}/${name}`)
      }
    },
  })
}

const OLD = 'src/settings/access-tokens.ts'
const NEW = 'src/settings/Access-Tokens.ts'

const COMPLETE_B = stateNamed('complete B sqlite')
const TO_A = flagsOf(stateNamed('complete A sqlite'))

/** A project of the state in which the owner renamed the file, with its imports, and edited it. */
async function renamed(): Promise<Memory> {
  const memory = await projectOf(COMPLETE_B)
  for (const [path, text] of Object.entries(allFiles(memory)))
    if (path.endsWith('.ts'))
      memory.fs.writeFileSync(ROOT + path, text.replaceAll('/access-tokens.ts', '/Access-Tokens.ts'))
  const text = String(memory.fs.readFileSync(ROOT + OLD))
  memory.fs.rmSync(ROOT + OLD)
  memory.fs.writeFileSync(ROOT + NEW, `${text}\n// Ours.\n`)
  return memory
}

/** Without the records of the generator. */
const files = (memory: Memory) =>
  Object.fromEntries(Object.entries(allFiles(memory)).filter(([path]) => !path.startsWith('.authsmith/')))

describe('a file whose name the owner wrote with other capital letters', () => {
  it.each<[string, (fs: FileSystem) => FileSystem, string]>([
    ['a file system that has both', (fs) => fs, `${NEW} (moved from ${OLD})`],
    ['one that ignores case', (fs) => ignoringCase(fs, false), OLD],
    ['one that ignores case and keeps the name of a replaced file', (fs) => ignoringCase(fs, true), OLD],
  ])(
    'keeps its name and edits in an update, and --abort restores all of it: on %s',
    async (_, wrap, shown) => {
      const memory = await renamed()
      const fs = wrap(memory.fs)
      const before = files(memory)
      const { exitCode, stdout } = await regenerate(memory, TO_A, { fs })
      expect(exitCode).toBe(0)
      expect(stdout).toContain(`merged with your changes: ${shown}\n`)
      const after = files(memory)
      const updated = String((await switched()).fs.readFileSync(ROOT + OLD))
      const imported = updated.replaceAll('/access-tokens.ts', '/Access-Tokens.ts')
      expect(after[NEW]).toBe(`${imported}\n// Ours.\n`)
      expect(Object.keys(after)).not.toContain(OLD)
      expect((await run(memory, ['regenerate', '--abort'], { fs })).exitCode).toBe(0)
      expect(files(memory)).toEqual(before)
    },
  )
})

/** A project that is not edited, after the same switch. */
async function switched(): Promise<Memory> {
  const memory = await projectOf(COMPLETE_B)
  expect((await regenerate(memory, TO_A)).exitCode).toBe(0)
  return memory
}
