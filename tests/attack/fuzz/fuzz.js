import { randomInt } from 'node:crypto'
import fc from 'fast-check'
import { devScript } from '../../support/dev.js'
import { newDatabase } from '../database.js'
import { readOperations } from '../document.js'
import { startAttacked } from '../service.js'
import { openMailbox } from './mailbox.js'
import { Model } from './model.js'
import { rules, runSequence } from './sequence.js'
import { sequenceOf } from './sequences.js'

/** Sequences with the same seed. A failure names the seed of its own round, which repeats it at once. */
const sequencesPerRound = 20

/** How long a failing sequence is made smaller, in milliseconds. */
const shrinkMs = 60_000

const settings = {
  RATE_LIMIT_ENABLED: 'false',
  NOTICE_NEW_LOGIN: 'true',
  LOG_LEVEL: 'error',
}

/** @typedef {{ calls: number, failures: string[], errors: string[] }} Result */

/**
 * Makes sequences of calls by several users, and compares every answer with a model and with the OpenAPI document. Two
 * services at a time: even seeds use one whose replaced refresh tokens have a grace period, odd seeds one without.
 * @param {import('../target.js').Target} target
 * @param {{ seed?: number, calls?: number }} [options]
 * @returns {Promise<import('../run.js').Figure[]>}
 */
export async function attackFuzz(target, { seed = randomInt(2 ** 30), calls: goal = 100_000 } = {}) {
  console.log(`seed ${seed}, ${goal} calls`)
  const startedAt = performance.now()
  const lanes = await Promise.all([seed, seed + 1].map((first) => fuzz(target, first, goal / 2)))
  const calls = lanes.reduce((sum, lane) => sum + lane.calls, 0)
  const seconds = (performance.now() - startedAt) / 1000
  for (const failure of lanes.flatMap(({ failures }) => failures)) console.log(failure)
  for (const line of lanes.flatMap(({ errors }) => errors).slice(0, 10)) console.log(line)

  const failures = lanes.flatMap(({ failures }) => failures).length
  const errors = lanes.flatMap(({ errors }) => errors).length
  const of = `${calls} calls, seed ${seed}, ${seconds.toFixed(0)} s`
  return [
    {
      what: 'sequences with a wrong answer',
      value: `${failures} (${of})`,
      goal: '0',
      isMissed: failures > 0,
    },
    { what: 'errors in the log', value: `${errors}`, goal: '0', isMissed: errors > 0 },
  ]
}

/**
 * @param {import('../target.js').Target} target
 * @param {number} first the first seed
 * @param {number} goal
 * @returns {Promise<Result>}
 */
async function fuzz(target, first, goal) {
  const hasGrace = first % 2 === 0
  const grace = { REFRESH_TOKEN_REUSE_GRACE_SECONDS: hasGrace ? '60' : '0' }
  const database = await newDatabase(target)
  const service = await startAttacked(
    target,
    { ...settings, ...grace, ...database.settings },
    devScript(target.folder),
  )
  try {
    const all = await readOperations(service)
    const operations = new Map(all.map((operation) => [operation.name, operation]))
    const unknown = [...operations.keys()].filter((name) => !(name in rules) && !name.includes('/health/'))
    if (unknown.length > 0) console.log(`not in the model, called without a token: ${unknown.join(', ')}`)
    const mailbox = target.variant.startsWith('complete') ? await openMailbox(service) : undefined

    let calls = 0
    let sequences = 0
    /** When a failing sequence is small enough. */
    let deadline = Number.POSITIVE_INFINITY
    const onCall = () => {
      calls += 1
      if (calls % 10_000 === 0) console.log(`${calls} calls from seed ${first}`)
    }
    const lane = { service, mailbox, operations, onCall }
    const property = fc.asyncProperty(sequenceOf(all), async (steps) => {
      const hasFailed = deadline < Number.POSITIVE_INFINITY
      if (hasFailed ? performance.now() > deadline : calls >= goal) return
      sequences += 1
      const model = new Model(target.variant, `f${sequences.toString(36)}x`, hasGrace)
      await runSequence(lane, model, steps).catch((error) => {
        deadline = Math.min(deadline, performance.now() + shrinkMs)
        throw error
      })
    })
    /** @type {string[]} */
    const failures = []
    for (let seed = first; calls < goal && failures.length === 0; seed += 2) {
      const { failed, errorInstance } = await fc.check(property, { seed, numRuns: sequencesPerRound })
      const message = errorInstance instanceof Error ? errorInstance.message : ''
      if (failed && errorInstance) failures.push(`Failed; repeat it with --seed ${seed}:\n${message}`)
    }
    // The script dev also prints what to open.
    const errors = service.logs().filter((line) => /^\{|error/i.test(line))
    return { calls, failures, errors }
  } finally {
    await service.stop()
    await database.drop()
  }
}
