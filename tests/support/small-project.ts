import nodeFs from 'node:fs'
import { filesBelow } from '../../src/system/file-system.ts'
import type { System } from '../../src/system/system.ts'
import { BLUEPRINTS, filesIn, memoryFs, runCommand } from './fixtures.ts'

export const PROJECT = '/work/my-api'
export type SmallMemory = ReturnType<typeof memoryFs>

/** The small blueprints, with real migrations for mode none and for basic B. */
export const SMALL = {
  ...BLUEPRINTS,
  ...Object.fromEntries(
    ['none+sqlite', 'basic-b+sqlite', 'none+postgres'].flatMap((layer) =>
      filesBelow(nodeFs, `blueprints/core/${layer}`).map((file) => [
        `/blueprints/core/${layer}/${file}`,
        nodeFs.readFileSync(`blueprints/core/${layer}/${file}`, 'utf8'),
      ]),
    ),
  ),
}

let created: Record<string, string> | undefined

/**
 * A project of mode none from the small blueprints, which a test may change to make a newer generator.
 * @param files added or replaced, by absolute path
 */
export async function smallProject(files: Record<string, string> = {}): Promise<SmallMemory> {
  created ??= await createSmall()
  const memory = memoryFs({ ...created, ...files }, SMALL)
  // The only file that is not created with the default permissions.
  memory.volume.chmodSync(`${PROJECT}/.env`, 0o600)
  return memory
}

async function createSmall(): Promise<Record<string, string>> {
  const memory = memoryFs({}, SMALL)
  await runCommand(['my-api', '-m', 'none', '--no-install', '--no-git'], { fs: memory.fs })
  return Object.fromEntries(
    Object.entries(filesIn(memory, PROJECT)).map(([path, text]) => [`${PROJECT}/${path}`, text]),
  )
}

/** Runs the command inside it. */
export const runSmall = (memory: SmallMemory, argv: readonly string[], overrides: Partial<System> = {}) =>
  runCommand(argv, { fs: memory.fs, cwd: PROJECT, ...overrides })
