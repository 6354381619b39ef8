import { describe, expect, it } from 'vitest'
import type { RunOptions } from '../../../src/system/run.ts'
import { memoryFs, runCommand } from '../../support/fixtures.ts'

const BUILD = '/work/my-api/node_modules/better-sqlite3/build'

/** Creates a project in memory. While its install runs, `during` looks at the progress. */
async function create(during: (progress: () => string, files: (path: string) => void) => void, env = {}) {
  const { fs } = memoryFs()
  let text = () => ''
  const environments: RunOptions['env'][] = []
  const outcome = await runCommand(['my-api', '--yes', '--no-git'], {
    fs,
    env,
    progress: (current) => {
      text = current
      return () => {}
    },
    run: async (_program, _args, options) => {
      environments.push(options.env)
      during(text, (path) => {
        fs.mkdirSync(`${BUILD}/Release`, { recursive: true })
        fs.writeFileSync(`${BUILD}/${path}`, '')
      })
      return { ok: true, output: '' }
    },
  })
  expect(outcome.exitCode).toBe(0)
  return environments
}

describe('install', () => {
  it('says what runs, and what is compiled and why', async () => {
    const texts: string[] = []
    await create((progress, write) => {
      texts.push(progress())
      write('config.gypi')
      texts.push(progress())
      write('Release/better_sqlite3.node')
      texts.push(progress())
    })
    expect(texts).toEqual([
      'Running npm install',
      'Running npm install: compiling better-sqlite3, because no prebuilt file for Node.js 24.4.0 could be downloaded',
      'Running npm install',
    ])
  })

  it('compiles on all cores, unless JOBS is set', async () => {
    expect(await create(() => {})).toEqual([{ JOBS: 'max' }])
    expect(await create(() => {}, { JOBS: '1' })).toEqual([{ JOBS: '1' }])
  })

  it('comes after the list of files that were written', async () => {
    let printed = ''
    let before = ''
    const { fs } = memoryFs()
    await runCommand(['my-api', '--yes', '--no-git'], {
      fs,
      print: (text) => {
        printed += text
      },
      run: async () => {
        before = printed
        return { ok: true, output: '' }
      },
    })
    expect(before).toMatch(/^Wrote \d+ files to/)
    expect(printed.slice(before.length)).toMatch(/^ {2}install: done\n[\s\S]*Next:/)
  })
})
