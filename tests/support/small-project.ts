import nodeFs from 'node:fs'
import { filesBelow } from '../../src/system/file-system.ts'
import type { System } from '../../src/system/system.ts'
import { BLUEPRINTS, memoryFs, runCommand } from './fixtures.ts'

export const PROJECT = '/work/my-api'
export type SmallMemory = ReturnType<typeof memoryFs>

/** The small blueprints, with real migrations for mode none and for basic B. */
const SMALL = {
  ...BLUEPRINTS,
  ...Object.fromEntries(
    ['none+sqlite', 'basic-b+sqlite', 'none+postgres'].flatMap((layer) =>
      filesBelow(nodeFs, `blueprints/${layer}`).map((file) => [
        `/blueprints/${layer}/${file}`,
        nodeFs.readFileSync(`blueprints/${layer}/${file}`, 'utf8'),
      ]),
    ),
  ),
}

/** A project of mode none from the small blueprints, which a test may change to make a newer generator. */
export async function smallProject(): Promise<SmallMemory> {
  const memory = memoryFs({}, SMALL)
  await runCommand(['my-api', '-m', 'none', '--no-install', '--no-git'], { fs: memory.fs })
  return memory
}

/** Runs the command inside it. */
export const runSmall = (memory: SmallMemory, argv: readonly string[], overrides: Partial<System> = {}) =>
  runCommand(argv, { fs: memory.fs, cwd: PROJECT, ...overrides })
