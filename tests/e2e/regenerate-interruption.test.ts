import { cpSync, existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, describe, expect, inject, test } from 'vitest'
import { type Running, start } from '../support/command.ts'
import { cli, createProject } from '../support/create-project.ts'
import { filesBelow, newFolder } from '../support/folder.ts'
import { isWhole } from './variants/every-run.ts'

const SWITCH = ['regenerate', '--mode', 'complete', '--profile', 'A', '--yes', '--no-install']
const AGAIN = ['regenerate', '--mode', 'complete', '--profile', 'B', '--yes', '--no-install']
const PENDING = '.authsmith/pending.json'
const LOCK = '.authsmith/lock'

let original: string
let old: Map<string, string>
let switched: Map<string, string>

beforeAll(async () => {
  const { directory } = await createProject(newFolder(), [
    'my-api',
    '--mode',
    'basic',
    '--profile',
    'B',
    '--yes',
    '--no-install',
    '--no-git',
  ])
  original = directory
  old = filesBelow(original)
  const whole = copy()
  expect(await cli(SWITCH, { cwd: whole })).toMatchObject({ code: 0 })
  switched = comparable(whole)
})

function copy(): string {
  const folder = join(newFolder(), 'my-api')
  cpSync(original, folder, { recursive: true })
  return folder
}

/** All files except those that contain the time of the switch: journal, snapshot ids, .authsmith/ and .env. */
const comparable = (cwd: string) =>
  new Map(
    [...filesBelow(cwd)].map(([path, text]) => [
      path,
      /^\.env$|\/meta\/|^\.authsmith\//.test(path) ? '' : text,
    ]),
  )

/** Resolves when pending.json exists and `share` (0 to 1) of the changes is made, or when the program has ended. */
async function untilApplied(running: Running, cwd: string, share: number): Promise<void> {
  let ended = false
  running.ended.then(() => {
    ended = true
  })
  const added = [...switched.keys()].filter((path) => !old.has(path))
  while (!ended && !existsSync(join(cwd, PENDING))) await nextTurn()
  while (!ended && added.filter((path) => existsSync(join(cwd, path))).length < share * added.length)
    await nextTurn()
}

// tests/matrix/ interrupts it at every step, in memory.
const PARTS = isWhole ? 19 : 5

describe('kill -9 in the middle of a switch', () => {
  test.each([...Array(PARTS + 1).keys()])(
    `after %d/${PARTS} of the changes leaves the old or the new project, or one command leads to it`,
    async (part) => {
      const cwd = copy()
      const running = start(inject('bin'), SWITCH, { cwd })
      await untilApplied(running, cwd, part / PARTS)
      running.signal('SIGKILL')
      await running.ended

      if (!existsSync(join(cwd, PENDING))) {
        const [now, exact] = [comparable(cwd), filesBelow(cwd)]
        const isLocked = now.delete(LOCK) && exact.delete(LOCK)
        const isOld = now.size === old.size
        expect(isOld ? exact : now).toEqual(isOld ? old : switched)
        // Killed before or after its changes. The lock of a process that is gone stops no other one.
        if (isLocked) expect(await cli(AGAIN, { cwd })).toMatchObject({ code: 0 })
        expect(existsSync(join(cwd, LOCK))).toBe(false)
        return
      }
      const left = filesBelow(cwd)
      const refused = await cli(SWITCH, { cwd })
      expect(refused.code).toBe(3)
      expect(refused.stderr).toMatch(/--continue.*--abort/)
      for (const command of [['status'], [...SWITCH, '--dry-run'], ['regenerate', '--check']])
        await cli(command, { cwd })
      expect(filesBelow(cwd)).toEqual(left)

      const undone = join(newFolder(), 'my-api')
      cpSync(cwd, undone, { recursive: true })
      expect(await cli(['regenerate', '--abort'], { cwd: undone })).toMatchObject({ code: 0 })
      expect(filesBelow(undone)).toEqual(old)

      expect(await cli(['regenerate', '--continue', '--no-install'], { cwd })).toMatchObject({ code: 0 })
      expect(comparable(cwd)).toEqual(switched)
      expect(readdirSync(cwd).filter((entry) => entry.startsWith('.create-authsmith'))).toEqual([])
    },
  )
})
