import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { beforeAll, describe, expect, inject, test, vi } from 'vitest'
import { type Running, run, start } from '../support/command.ts'
import { cli } from '../support/create-project.ts'
import { environment } from '../support/environment.ts'
import { filesBelow, newFolder } from '../support/folder.ts'

const ARGS = ['my-api', '--mode', 'basic', '--profile', 'B', '--no-git']

/** All files of a complete project, with an empty .env because its secrets differ. */
let whole: Map<string, string>
beforeAll(async () => {
  const cwd = newFolder()
  await cli([...ARGS, '--no-install'], { cwd })
  whole = project(cwd)
})

const project = (cwd: string) =>
  new Map([...filesBelow(join(cwd, 'my-api'))].map(([file, text]) => [file, file === '.env' ? '' : text]))

/** Temporary folders next to the target. */
const siblings = (cwd: string) => readdirSync(cwd).filter((entry) => entry !== 'my-api')

/** Resolves when `share` (0 to 1) of the files is in the temporary folder, or when the program has ended. */
async function untilWritten(running: Running, cwd: string, share: number): Promise<void> {
  let ended = false
  running.ended.then(() => {
    ended = true
  })
  while (!ended) {
    const [temporary] = siblings(cwd)
    if (temporary && filesWritten(join(cwd, temporary)) >= share * whole.size) return
    if (existsSync(join(cwd, 'my-api'))) return
    await nextTurn()
  }
}

function filesWritten(folder: string): number {
  try {
    return readdirSync(folder, { withFileTypes: true, recursive: true }).filter((entry) => entry.isFile())
      .length
  } catch {
    // The folder was renamed in the meantime.
    return whole.size
  }
}

const SHARES = [0, 0.01, 0.1, 0.2, 0.35, 0.5, 0.65, 0.8, 0.95, 1]

describe('kill -9', () => {
  test.each(SHARES)(
    'after %d of the files leaves no project or a complete one, and the next run succeeds',
    async (share) => {
      const cwd = newFolder()
      const running = start(inject('bin'), [...ARGS, '--no-install'], { cwd })
      await untilWritten(running, cwd, share)
      running.signal('SIGKILL')
      await running.ended
      for (const sibling of siblings(cwd)) expect(sibling).toMatch(/^\.create-authsmith-\d+-\w+$/)
      // A project that was killed after its last file, and before it counted as finished, is continued.
      const isFinished =
        existsSync(join(cwd, 'my-api')) && !existsSync(join(cwd, 'my-api/.authsmith/unfinished.tmp'))
      if (!isFinished) expect((await cli([...ARGS, '--no-install'], { cwd })).code).toBe(0)
      expect(project(cwd)).toEqual(whole)
    },
  )

  test('the next run removes the leftover temporary folder', async () => {
    let cwd: string
    do {
      cwd = newFolder()
      const running = start(inject('bin'), [...ARGS, '--no-install'], { cwd })
      await untilWritten(running, cwd, 0)
      running.signal('SIGKILL')
      await running.ended
    } while (siblings(cwd).length === 0)
    expect((await cli([...ARGS, '--no-install'], { cwd })).code).toBe(0)
    expect(siblings(cwd)).toEqual([])
  })
})

describe('Ctrl-C', () => {
  test.each([0, 0.5])('after %d of the files leaves nothing', async (share) => {
    // On a busy machine the command may finish before the signal arrives. Then the project is complete: try again. The
    // signal itself ends a process that is about to exit, because Node.js has removed its handlers.
    for (;;) {
      const cwd = newFolder()
      const running = start(inject('bin'), [...ARGS, '--no-install'], { cwd })
      await untilWritten(running, cwd, share)
      running.signal('SIGINT')
      const { code, signal, stderr } = await running.ended
      if (code === 0 || signal === 'SIGINT') {
        expect(project(cwd)).toEqual(whole)
        continue
      }
      expect(code).toBe(130)
      expect(stderr).toMatch(/^create-authsmith: Interrupted[^\n]*\n$/)
      expect(readdirSync(cwd)).toEqual([])
      return
    }
  })

  test.each(['SIGINT', 'SIGTERM'] as const)(
    '%s during the install stops npm and exits with 130, and the project is complete',
    async (signal) => {
      const [cwd, programs] = [newFolder(), newFolder()]
      writeFileSync(join(programs, 'npm'), '#!/bin/sh\ntouch started\nexec sleep 600\n', { mode: 0o755 })
      const env = { PATH: programs + delimiter + environment().PATH }
      const running = start(inject('bin'), ARGS, { cwd, env })
      while (!existsSync(join(cwd, 'my-api/started'))) await nextTurn()
      // Only the command gets the signal, and has to stop npm.
      running.child.kill(signal)
      const { code, stderr } = await running.ended
      expect(code).toBe(130)
      expect(stderr).toContain('Interrupted')
      const added = { started: '', '.authsmith/unfinished.tmp': expect.any(String) }
      expect(project(cwd)).toEqual(new Map([...whole, ...Object.entries(added)]))
      const signalGroup = () => process.kill(-(running.child.pid ?? 0), 0)
      // The system may report the end late.
      await vi.waitFor(() => expect(signalGroup).toThrow('ESRCH'), { timeout: 500_000 })
    },
  )
})

test('a full disk leaves nothing and is reported; a larger disk works', async (context) => {
  const folder = newFolder()
  mkdirSync(join(folder, 'disk'))
  const inNamespace = (script: string, ...args: string[]) =>
    run('unshare', ['-rm', 'sh', '-c', `mount -t tmpfs -o size="$0" tmpfs disk && ${script}`, ...args], {
      cwd: folder,
    })
  const permitted = await inNamespace('true', '16k').catch(() => ({ code: 1 }))
  if (permitted.code !== 0) context.skip('unshare -rm (a separate mount namespace) is not permitted here')

  const create = async (size: string) => {
    const script = 'cd disk && { "$@"; echo "exit code $?"; ls -A; }'
    const { stdout } = await inNamespace(script, size, inject('bin'), ...ARGS, '--no-install', '--json')
    const [json = '', after] = stdout.split(/^exit code /m)
    return { report: JSON.parse(json), after }
  }
  for (const size of ['16k', '64k', '128k', '256k']) {
    const { report, after } = await create(size)
    expect(after, size).toBe('1\n')
    expect(report.error.message).toMatch(/no space is left.*Nothing was left behind/)
  }
  expect((await create('16m')).after).toBe('0\nmy-api\n')
})
