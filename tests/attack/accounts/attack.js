import { spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { pathToFileURL } from 'node:url'
import { newDatabase } from '../database.js'

/** Lines of a failing sequence that are printed: it is as small as possible already. */
const maxLines = 80

/** Commands of add-ons that the sequences use. */
const commands = ['delete', 'import']

/**
 * Plays sequences of users, operators and thieves against two instances whose clock jumps by days, and compares every
 * answer and email with a model of the accounts.
 * @param {import('../target.js').Target} target
 * @param {{ seed?: number, steps?: number }} [options]
 * @returns {Promise<import('../run.js').Figure[]>}
 */
export async function attackAccounts(target, { seed = randomInt(2 ** 30), steps = 20_000 } = {}) {
  const [mode, profile] = target.variant.split('-')
  const what = 'sequences that the model cannot explain'
  if (mode !== 'complete')
    return [{ what, value: 'does not apply: no emails', goal: 'mode complete', isMissed: false }]
  if (!commands.every((name) => existsSync(join(target.folder, `src/commands/user/${name}.ts`))))
    return [{ what, value: 'does not apply', goal: 'account-data and import', isMissed: false }]
  console.log(`seed ${seed}, ${steps} steps`)
  const startedAt = performance.now()
  const database = await newDatabase(target)
  const task = { folder: target.folder, profile, seed, steps, database: database.settings }
  const result = await run(target.folder, task).finally(database.drop)
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0)
  const { failure, errors } = result
  if (failure) {
    const lines = failure.text.split('\n')
    console.log(`Failed; repeat it with --seed ${failure.seed}:\n${lines.slice(-maxLines).join('\n')}`)
  }
  for (const line of errors.slice(0, 10)) console.log(line)
  const of = `${result.steps} steps in ${result.sequences} sequences, seed ${seed}, ${seconds} s`
  return [
    { what, value: `${failure ? 1 : 0} (${of})`, goal: '0', isMissed: failure !== undefined },
    { what: 'errors in the log', value: `${errors.length}`, goal: '0', isMissed: errors.length > 0 },
  ]
}

/**
 * @param {string} folder
 * @param {import('./main.js').Task | object} task
 * @returns {Promise<import('./main.js').Result>}
 */
async function run(folder, task) {
  const tsx = pathToFileURL(createRequire(join(folder, 'package.json')).resolve('tsx')).href
  const args = ['--import', tsx, join(import.meta.dirname, 'main.js'), JSON.stringify(task)]
  // The service loads its TypeScript, as in its own tests.
  const env = { ...process.env, FASTIFY_AUTOLOAD_TYPESCRIPT: '1' }
  const child = spawn(process.execPath, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'inherit'] })
  const stop = () => child.kill('SIGKILL')
  process.once('exit', stop)
  const ended = once(child, 'close')
  let last = ''
  for await (const line of createInterface({ input: child.stdout })) {
    if (last) console.log(last)
    last = line
  }
  const [code] = await ended
  process.off('exit', stop)
  if (code !== 0) throw new Error(`The process of the sequences ended with ${code}: ${last}`)
  return JSON.parse(last)
}
