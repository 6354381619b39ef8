// Covers src/system/stale-folders.ts.
import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { DRIVERS } from '../../../src/copy/driver.ts'
import type { Run } from '../../../src/system/run.ts'
import type { System } from '../../../src/system/system.ts'
import { fakeRun } from '../../support/fixtures.ts'
import { PROJECT, runSmall, type SmallMemory, smallProject } from '../../support/small-project.ts'

const read = (path: string) => readFileSync(`blueprints/core/${path}`, 'utf8')

it('copy-data fetches the versions of the drivers that projects have', () => {
  const ranges = Object.values(DRIVERS).map(({ name, range }) => [name, range])
  const sqlite = JSON.parse(read('sqlite+npm/package.json')).dependencies
  const { pg } = JSON.parse(read('postgres/package.json')).dependencies
  expect(Object.fromEntries(ranges)).toEqual({ ...sqlite, pg })
})

const CACHE = `${PROJECT}/node_modules/.cache/create-authsmith`
const leftIn = ({ fs }: SmallMemory) => (fs.existsSync(CACHE) ? fs.readdirSync(CACHE) : [])

describe('a driver that the project does not have', () => {
  /** Copies from a server to a file; no driver is there. @returns also what is left in the temporary folder */
  async function copy(overrides: Partial<System>) {
    const memory = await smallProject()
    const args = ['copy-data', '--from', 'postgres://me:geheim@localhost/x', '--to', 'file:x.db']
    const outcome = await runSmall(memory, args, overrides)
    return { ...outcome, left: leftIn(memory), memory }
  }

  it('is fetched by npm beside the packages of the project, and does not stay if it cannot be loaded', async () => {
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
    expect(stderr).toContain('Fetching pg, because the project does not have it\n')
    expect(stderr).toContain('pg cannot be loaded')
    expect(leftIn(memory)).toEqual([])
  })

  it('is fetched into a folder that does not stay if the process is killed: the next run removes it', async () => {
    const memory = await smallProject({
      [`${CACHE}/driver-77-abc/package.json`]: '{}',
      [`${CACHE}/driver-78-abc/package.json`]: '{}',
      [`${CACHE}/driver-x/package.json`]: '{}',
    })
    const args = ['copy-data', '--from', 'postgres://localhost/x', '--to', 'file:x.db']
    await runSmall(memory, args, { isAlive: (pid) => pid === 78 })
    expect(leftIn(memory)).toEqual(['driver-78-abc', 'driver-x'])
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

  it.each([
    [
      'a missing source',
      'file:none.db',
      'file:new.db',
      'copy from: /work/my-api/none.db is missing or empty',
    ],
    [
      'an empty source',
      'file:empty.db',
      'file:new.db',
      'copy from: /work/my-api/empty.db is missing or empty',
    ],
    [
      'a source of another format',
      'file:.env',
      'file:new.db',
      'copy from: /work/my-api/.env is not a SQLite',
    ],
    ['a source that is a folder', 'file:src', 'file:new.db', 'copy from: /work/my-api/src is a directory'],
    [
      'a target of another format',
      'file:good.db',
      'file:.env',
      'copy into: /work/my-api/.env is not a SQLite',
    ],
  ])('is not fetched for %s', async (_, from, to, fault) => {
    const memory = await smallProject({
      [`${PROJECT}/empty.db`]: '',
      [`${PROJECT}/good.db`]: 'SQLite format 3\0',
    })
    const { run, lines } = fakeRun()
    const { exitCode, stderr } = await runSmall(memory, ['copy-data', '--from', from, '--to', to], { run })
    expect({ exitCode, lines }).toEqual({ exitCode: 1, lines: [] })
    expect(stderr).toContain(`Cannot open the database to ${fault}`)
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
