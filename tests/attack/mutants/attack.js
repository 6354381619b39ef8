import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { mutants } from './list.js'
import { mutantsOf, mutate, testsOf } from './mutant.js'
import { runTests } from './run-tests.js'

const root = join(import.meta.dirname, '../../..')

/** Vitest itself uses several cores. */
const lanes = Math.max(1, Math.floor(availableParallelism() / 2))

/** @typedef {{ verdict: 'killed' | 'survived' | 'broken', by: string, reason: string, isUnlisted: boolean }} Result */

/**
 * Removes one defence at a time and runs the generated tests, which have to fail.
 * @param {import('../target.js').Target} target
 * @param {import('./mutant.js').Mutant[]} [list]
 * @returns {Promise<import('../run.js').Figure[]>}
 * @throws Error if a mutant does not apply, or if the tests fail without a mutant
 */
export async function attackMutants({ folder, variant }, list = mutants) {
  const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-mutants-'))
  // Tests read it as other users. Where they cannot, each of them would seem to kill a mutant.
  chmodSync(scratch, 0o755)
  process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))
  const copies = Array.from({ length: lanes }, (_, lane) => copyOf(folder, join(scratch, String(lane))))
  const [first = ''] = copies
  /** @param {string} path */
  const exists = (path) => existsSync(join(first, path))
  const waiting = mutantsOf(list, variant, exists)
  const count = waiting.length
  for (const mutant of waiting) mutate(mutant, readFileSync(join(folder, mutant.file), 'utf8'))
  const tests = new Set(waiting.flatMap((mutant) => testsOf(mutant, exists)))

  // Other tests run only for a survivor. If one of them kills it, that is a miss too.
  const unmutated = await runTests(first, [...tests])
  if (unmutated.outcome !== 'green')
    throw new Error(`The tests fail without a mutant: ${unmutated.by} ${unmutated.reason}`)

  /** @type {Result[]} */
  const results = []
  await Promise.all(
    copies.map(async (copy) => {
      for (let mutant = waiting.shift(); mutant; mutant = waiting.shift()) {
        const startedAt = performance.now()
        const result = await attackMutant(copy, mutant)
        print(mutant, result, (performance.now() - startedAt) / 1000)
        results.push(result)
      }
    }),
  )

  /** @param {string} what @param {(result: Result) => boolean} isBad */
  const figure = (what, isBad) => {
    const bad = results.filter(isBad).length
    return { what, value: `${bad} of ${count}`, goal: '0', isMissed: bad > 0 }
  }
  return [
    figure('mutants that survive', ({ verdict }) => verdict === 'survived'),
    figure('mutants that prove nothing', ({ verdict }) => verdict === 'broken'),
    figure('mutants that only an unlisted test kills', ({ isUnlisted }) => isUnlisted),
  ]
}

/**
 * @param {string} copy of a project
 * @param {import('./mutant.js').Mutant} mutant
 * @returns {Promise<Result>}
 */
async function attackMutant(copy, mutant) {
  const path = join(copy, mutant.file)
  const text = readFileSync(path, 'utf8')
  const tests = testsOf(mutant, (file) => existsSync(join(copy, file)))
  writeFileSync(path, mutate(mutant, text))
  try {
    const listed = await runTests(copy, tests)
    const { outcome, ...run } = listed.outcome === 'green' ? await runTests(copy) : listed
    const verdict = outcome === 'red' ? 'killed' : outcome === 'green' ? 'survived' : 'broken'
    return { verdict, isUnlisted: verdict === 'killed' && listed.outcome === 'green', ...run }
  } finally {
    writeFileSync(path, text)
  }
}

/**
 * Copies a project, without its dependencies, which the copy shares, and adds the tests of mechanisms.
 * @param {string} folder
 * @param {string} copy
 */
function copyOf(folder, copy) {
  const modules = join(folder, 'node_modules')
  cpSync(folder, copy, { recursive: true, filter: (path) => path !== modules })
  symlinkSync(modules, join(copy, 'node_modules'))
  const program = ['--import', 'tsx', 'tests/support/add-mechanisms.ts', copy]
  execFileSync(process.execPath, program, { cwd: root, stdio: 'inherit' })
  return copy
}

/** @param {import('./mutant.js').Mutant} mutant @param {Result} result @param {number} seconds */
function print({ name }, { verdict, by, reason, isUnlisted }, seconds) {
  const note = verdict === 'broken' ? `: ${reason}` : isUnlisted ? ', which is not listed' : ''
  console.log(`${verdict.padEnd(8)} ${seconds.toFixed(0).padStart(4)} s  ${name}  ${by}${note}`)
}
