// Plays sequences in a process of its own, which can import the created service (with tsx). Its argument is a Task in
// JSON; prints its progress, and the result as the last line.
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { openInstances } from './instances.js'
import { length, play } from './play.js'

/**
 * @typedef {object} Task
 * @property {string} folder of the project
 * @property {'a' | 'b'} profile
 * @property {number} seed
 * @property {number} steps
 * @property {Record<string, string>} database settings
 */

/** @typedef {{ steps: number, sequences: number, failure?: { seed: number, text: string }, errors: string[] }} Result */

/** How long a failing sequence is made smaller, in milliseconds. */
const shrinkMs = 60_000

/** Which of the two instances have LOGIN_REQUIRES_VERIFIED_EMAIL. A seed decides. */
const settings = [
  [false, false],
  [false, true],
  [true, true],
]

const { folder, profile, seed, steps, database } = /** @type {Task} */ (JSON.parse(process.argv[2] ?? ''))

/** @type {Result} */
const result = { steps: 0, sequences: 0, errors: [] }

// A day ahead: commands stamp their emails with the time of the database.
let time = Math.floor(Date.now() / 1000) * 1000 + 86_400_250
const clock = {
  now: () => time,
  // Never the same moment of a second twice in a row: whether a token still works at its end is left open.
  advance: (/** @type {number} */ seconds) => {
    time += seconds * 1000 + 1
    if (time % 1000 === 0) time += 1
  },
}

const has = (/** @type {string} */ name) => existsSync(join(folder, 'src', name))
const addOns = {
  totp: has('totp'),
  passkeys: has('passkeys'),
  emailLogin: has('email-login'),
  cookies: has('cookies'),
  oidc: has('oidc'),
}

/** @type {(import('./play.js').Stage & { instances: import('./instances.js').Instances })[]} */
const stages = []
for (const strict of settings)
  stages.push({
    instances: await openInstances(folder, database, strict, clock),
    clock,
    profile,
    strict,
    addOns,
  })

for (let next = seed; result.steps < steps && !result.failure; next += 1) {
  const stage = stageOf(next)
  const indexes = Array.from({ length }, (_, index) => index)
  result.sequences += 1
  const onStep = () => {
    result.steps += 1
    if (result.steps % 2_000 === 0) console.log(`${result.steps} steps, seed ${next}`)
  }
  const text = await failureOf(stage, next, indexes, onStep)
  if (text !== undefined) result.failure = { seed: next, text: await shrink(stage, next, indexes, text) }
}

for (const { instances } of stages) {
  result.errors.push(...instances.errors)
  await instances.close()
}
console.log(JSON.stringify(result))

/** @param {number} number */
function stageOf(number) {
  return /** @type {import('./play.js').Stage} */ (stages[number % stages.length])
}

/** @param {import('./play.js').Stage} stage @param {number} number @param {number[]} indexes @param {() => void} [onStep] */
async function failureOf(stage, number, indexes, onStep) {
  // Each attempt has names of its own, because all share a database.
  const prefix = `s${(time % 2 ** 40).toString(36)}x`
  return play(stage, { seed: number, indexes, prefix, ...(onStep && { onStep }) }).then(
    () => undefined,
    (/** @type {Error} */ error) => error.message,
  )
}

/**
 * Leaves out actions as long as the sequence fails in the same way.
 * @param {import('./play.js').Stage} stage @param {number} number @param {number[]} indexes @param {string} text
 */
async function shrink(stage, number, indexes, text) {
  const deadline = Date.now() + shrinkMs
  // The expected answer, without the names of the attempt.
  const reasonOf = (/** @type {string} */ failure) => failure.split('\n').at(-1)?.replaceAll(/s\w+x/g, '')
  let [smallest, kept] = [text, indexes]
  for (let size = length / 2; size >= 1; size = Math.floor(size / 2))
    for (let from = 0; from < kept.length && Date.now() < deadline; ) {
      const fewer = kept.toSpliced(from, size)
      const failure = await failureOf(stage, number, fewer)
      if (failure !== undefined && reasonOf(failure) === reasonOf(text)) [smallest, kept] = [failure, fewer]
      else from += size
    }
  return smallest
}
