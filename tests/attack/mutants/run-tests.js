import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

/** Only a hanging test reaches this limit, in milliseconds. A mutant may hang: a client that waits for a refusal. */
const hangsAfterMs = 180_000

/** Code that cannot run proves nothing about a defence. A SyntaxError is one of a test that reads an answer as JSON. */
const brokenCode = /^(ReferenceError|Error: Transform failed|Error: Failed to (load|parse|resolve))/

/**
 * The outcome of a run: `red` if a test failed, `broken` if the code could not run or no test ran.
 * @typedef {{ outcome: 'green' | 'red' | 'broken', by: string, reason: string }} Run
 */

/**
 * Runs tests of a project until the first one fails.
 * @param {string} project
 * @param {string[]} files default: all
 * @returns {Promise<Run>}
 */
export async function runTests(project, files = []) {
  const report = join(project, 'test-report.json')
  const args = ['run', '--reporter=json', `--outputFile=${report}`, '--bail=1', '--silent']
  const limits = [`--testTimeout=${hangsAfterMs}`, `--hookTimeout=${hangsAfterMs}`]
  const child = spawn(
    process.execPath,
    ['node_modules/vitest/vitest.mjs', ...args, ...limits, ...files],
    // Not the variables of a Vitest that runs this one.
    { cwd: project, env: withoutVitest(process.env), stdio: ['ignore', 'ignore', 'pipe'] },
  )
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  let output = ''
  child.stderr.setEncoding('utf8').on('data', (part) => {
    output = (output + part).slice(-2_000)
  })
  const [code] = await once(child, 'close')
  process.off('exit', stop)
  try {
    return readRun(project, JSON.parse(readFileSync(report, 'utf8')), code)
  } catch {
    return { outcome: 'broken', by: '', reason: `no report: ${output}` }
  } finally {
    rmSync(report, { force: true })
  }
}

/** @param {NodeJS.ProcessEnv} env */
const withoutVitest = (env) =>
  Object.fromEntries(Object.entries(env).filter(([name]) => !/^(VITEST|NODE_ENV$|NODE_OPTIONS$)/.test(name)))

/**
 * @param {string} project
 * @param {{ testResults: { name: string, status: string, message: string, assertionResults: { status: string, fullName: string, failureMessages: string[] }[] }[] }} report
 * @param {number | null} code
 * @returns {Run}
 */
function readRun(project, { testResults }, code) {
  const results = testResults.flatMap(({ name, assertionResults }) =>
    assertionResults.map((result) => ({ ...result, by: name.replace(`${project}/`, '') })),
  )
  const failed = results.find(({ status }) => status === 'failed')
  const reason = failed?.failureMessages[0]?.split('\n')[0] ?? ''
  if (failed && !brokenCode.test(reason)) return { outcome: 'red', by: failed.by, reason }
  // A file whose first lines fail has no tests.
  const [unread] = testResults.filter(({ status, message }) => status === 'failed' && message !== '')
  if (failed || unread || !results.some(({ status }) => status === 'passed'))
    return { outcome: 'broken', by: unread?.name ?? '', reason: reason || (unread?.message ?? 'no test ran') }
  if (code !== 0) return { outcome: 'red', by: 'an error outside the tests', reason }
  return { outcome: 'green', by: '', reason }
}
