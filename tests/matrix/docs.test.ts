import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'
import { allFiles, projectOf, run } from './project.ts'

const LOGIN = 'src/accounts/log-in.ts'

/** The commands of a console block, and the output of each; `…` stands for any lines. */
function sessionOf(block: string): { command: string; output: string }[] {
  return block
    .split(/^\$ /m)
    .slice(1)
    .map((part) => {
      const [command = '', ...output] = part.trimEnd().split('\n')
      return { command, output: output.join('\n') }
    })
}

/** Expects the lines of `sample` in `text`, one after the other except at `…`. How many files there are may differ. */
function expectLines(text: string, sample: string): void {
  const withoutCounts = (lines: string) => `\n${lines}\n`.replaceAll(/\b\d+ files\b/g, 'files')
  const parts = withoutCounts(sample).split(/(?<=\n) *…\n/)
  let at = 0
  for (const part of parts) {
    const found = withoutCounts(text).indexOf(part, at)
    expect(found, `${part}\nnot in\n${text}`).toBeGreaterThanOrEqual(0)
    at = found + part.length - 1
  }
}

it('docs/regenerate.md shows what a switch with a conflict prints', async () => {
  const [, block = ''] = /```console\n(.*?)```/s.exec(readFileSync('docs/regenerate.md', 'utf8')) ?? []
  const [start, diff, end, ...others] = sessionOf(block)
  expect(others).toEqual([])
  const flagsOf = (command = '') => command.replace(/^npm run regenerate -- /, 'regenerate ').split(' ')

  const memory = await projectOf({
    name: 'my-api',
    mode: 'basic',
    profile: 'B',
    database: 'sqlite',
    addOns: [],
    packageManager: 'npm',
  })
  const write = (path: string, text: string) => memory.volume.writeFileSync(`/work/my-api/${path}`, text)
  const text = (path: string) => allFiles(memory)[path] ?? ''
  write(LOGIN, text(LOGIN).replace('startSession(ctx, user) }', 'startSession(ctx, user) } // ours'))
  write('README.md', `${text('README.md')}\nOurs.\n`)
  write('src/plugins/docs.ts', `${text('src/plugins/docs.ts')}// ours\n`)

  const conflicting = await run(memory, flagsOf(start?.command))
  expect(conflicting.exitCode).toBe(4)
  expectLines(conflicting.stdout, start?.output ?? '')

  expect(diff?.command).toBe(`git diff ${LOGIN}`)
  expectLines(text(LOGIN), (diff?.output ?? '').replaceAll(/^\+/gm, ''))

  write(LOGIN, text(LOGIN).replace(/^<<<<<<< yours\n.*?^=======\n(.*?)^>>>>>>> .*?\n/ms, '$1'))
  const continued = await run(memory, flagsOf(end?.command))
  expect(continued.exitCode).toBe(0)
  expectLines(continued.stdout, end?.output ?? '')
})
