import { execFile } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'

const root = join(import.meta.dirname, '../../..')

/** A suite with a step that fails, one before it, tests after it, and another suite. */
const suite = `
  import { describe, test } from 'vitest'
  import { steps } from ${JSON.stringify(join(import.meta.dirname, 'steps.ts'))}
  const fail = async () => { throw new Error('planted') }
  const pass = () => {}
  describe('chained', () => {
    const step = steps()
    step('first', pass)
    test('no step', fail)
    step('second', fail)
    step('third', pass)
    test('fourth', fail)
    describe('nested', () => test.each([5, 6])('%i', fail))
  })
  test('apart', pass)
`

it('skips what follows a failed step, and says which step failed', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'authsmith-steps-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  writeFileSync(join(folder, 'chained.test.ts'), suite)
  const report = join(folder, 'report.json')
  const flags = [
    'run',
    '--root',
    folder,
    '--reporter=verbose',
    '--reporter=json',
    `--outputFile.json=${report}`,
  ]
  const env = { ...process.env, NO_COLOR: '1' }
  const vitest = [join(root, 'node_modules/vitest/vitest.mjs'), ...flags]
  const { code, stdout } = await new Promise<{ code: unknown; stdout: string }>((resolve) => {
    execFile(process.execPath, vitest, { cwd: folder, env }, (error, stdout) =>
      resolve({ code: error?.code ?? 0, stdout }),
    )
  })
  expect(code).toBe(1)
  const [file] = JSON.parse(readFileSync(report, 'utf8')).testResults
  const statuses = file.assertionResults.map(({ title, status }: Record<string, string>) => [title, status])
  expect(Object.fromEntries(statuses)).toEqual({
    first: 'passed',
    'no step': 'failed',
    second: 'failed',
    third: 'skipped',
    fourth: 'skipped',
    5: 'skipped',
    6: 'skipped',
    apart: 'passed',
  })
  expect(stdout.match(/\[an earlier step failed: second\]/g)).toHaveLength(4)
})
