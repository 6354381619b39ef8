// Covers src/system/stale-folders.ts.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DRIVERS } from '../../../src/copy/driver.ts'
import type { Run } from '../../../src/system/run.ts'
import type { System } from '../../../src/system/system.ts'
import { fakeRun } from '../../support/fixtures.ts'
import { runSmall, smallProject } from '../../support/small-project.ts'

const read = (path: string) => readFileSync(`blueprints/${path}`, 'utf8')

it('copy-data fetches the versions of the drivers that projects have', () => {
  const ranges = Object.values(DRIVERS).map(({ name, range }) => [name, range])
  const sqlite = JSON.parse(read('sqlite+npm/package.json')).dependencies
  const { pg } = JSON.parse(read('postgres/package.json')).dependencies
  expect(Object.fromEntries(ranges)).toEqual({ ...sqlite, pg })
})

describe('a driver that the project does not have', () => {
  /** Copies from a server to a file; no driver is there. @returns also what is left in the temporary folder */
  async function copy(overrides: Partial<System>) {
    const memory = await smallProject()
    const args = ['copy-data', '--from', 'postgres://me:geheim@localhost/x', '--to', 'file:x.db']
    const outcome = await runSmall(memory, args, overrides)
    return { ...outcome, left: memory.fs.readdirSync('/tmp'), memory }
  }

  it('is fetched by npm into a temporary folder, which is removed', async () => {
    const manifests: string[] = []
    const { run, lines } = fakeRun()
    const memory = await smallProject()
    const looking: Run = (command, args, options) => {
      manifests.push(memory.fs.readFileSync(`${options.cwd}/package.json`, 'utf8') as string)
      return run(command, args, options)
    }
    const args = ['copy-data', '--from', 'postgres://localhost/x', '--to', 'file:x.db']
    const { stderr } = await runSmall(memory, args, { run: looking })
    expect(lines).toEqual(['npm install --no-audit --no-fund --loglevel=error'])
    const { name, range } = DRIVERS.postgres
    expect(manifests.map((text) => JSON.parse(text))).toEqual([
      { private: true, dependencies: { [name]: range }, allowScripts: { [name]: true } },
    ])
    expect(stderr).toContain('Fetching pg for this run, because the project does not have it\n')
    expect(memory.fs.readdirSync('/tmp')).toEqual([])
  })

  it('is fetched into a folder that does not stay if the process is killed: the next run removes it', async () => {
    const memory = await smallProject({
      '/tmp/create-authsmith-driver-77-abc/package.json': '{}',
      '/tmp/create-authsmith-driver-78-abc/package.json': '{}',
      '/tmp/create-authsmith-driver-x/package.json': '{}',
    })
    const args = ['copy-data', '--from', 'postgres://localhost/x', '--to', 'file:x.db']
    await runSmall(memory, args, { isAlive: (pid) => pid === 78 })
    expect(memory.fs.readdirSync('/tmp')).toEqual([
      'create-authsmith-driver-78-abc',
      'create-authsmith-driver-x',
    ])
  })

  it('is an error if the folder for temporary files is missing: one line with the fix', async () => {
    const { exitCode, stderr } = await copy({ temporary: '/nowhere' })
    expect({ exitCode, last: stderr.trim().split('\n').at(-1) }).toEqual({
      exitCode: 1,
      last:
        'create-authsmith: Cannot write the folder for temporary files, /nowhere: no such file or directory (ENOENT). ' +
        'Set TMPDIR to another one. Nothing was copied.',
    })
  })

  it('is an error if npm cannot fetch it: one line with the cause and the fix', async () => {
    const output = 'npm error code ECONNREFUSED\nnpm error syscall connect\nnpm error request to x failed\n'
    const { run } = fakeRun(() => ({ ok: false, output }))
    const { exitCode, stdout, stderr, left } = await copy({ run })
    expect({ exitCode, stdout, left }).toEqual({ exitCode: 1, stdout: '', left: [] })
    expect(stderr.trim().split('\n').at(-1)).toBe(
      'create-authsmith: npm cannot fetch pg (request to x failed). ' +
        `Install it with: npm install --no-save pg@"${DRIVERS.postgres.range}". Nothing was copied.`,
    )
  })

  it('is an error if npm is not installed', async () => {
    const { run } = fakeRun(() => ({ ok: false, missing: true, output: 'npm is not installed' }))
    expect((await copy({ run })).stderr).toContain(
      'npm cannot fetch pg (npm is not installed). Install it with',
    )
  })

  it('is not fetched to the end after Ctrl-C, and nothing is copied', async () => {
    const interruption = new AbortController()
    const run: Run = () => {
      interruption.abort()
      return new Promise(() => {})
    }
    const { exitCode, stderr, left } = await copy({ run, signal: interruption.signal })
    expect({ exitCode, left }).toEqual({ exitCode: 130, left: [] })
    expect(stderr).toContain('create-authsmith: Interrupted. Nothing was copied.\n')
  })
})
