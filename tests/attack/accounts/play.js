import { codeOf, stepAt } from '../../support/totp-codes.js'
import { poolOf } from './actions/choose.js'
import { epilogueOf } from './actions/epilogue.js'
import { makers } from './actions/generate.js'
import { raceOf } from './actions/races.js'
import { compareEmails } from './model/arrivals.js'
import { sentByBrowser } from './model/cookies.js'
import { isTrusting } from './model/identities.js'
import { newState } from './model/state.js'
import { explain, step } from './model/step.js'
import { randomFrom } from './random.js'
import { label, Mismatch, readEmail } from './texts.js'

/** @typedef {import('./model/state.js').State} State */
/** @typedef {import('./model/step.js').Action} Action */
/** @typedef {import('./instances.js').Reply} Reply */
/** @typedef {{ now: () => number, advance: (seconds: number) => void }} Clock */

/**
 * @typedef {object} Stage
 * @property {Pick<import('./instances.js').Instances, 'run' | 'emails'>} instances
 * @property {Clock} clock
 * @property {'a' | 'b'} profile
 * @property {boolean[]} strict
 * @property {import('./model/state.js').AddOns} addOns of the service, of those that the model has rules of
 */

/** Actions of a sequence, besides its epilogue. */
export const length = 128

/** Emails do not wait longer: the token in one of them is void after half an hour. */
const patienceMs = 25 * 60_000

/** How many states may explain what was seen. */
const maxStates = 200

/** Something that can be done. About factors, much has to be there first. @param {import('./actions/choose.js').Situation} situation */
function madeFor(situation) {
  const all = makers(situation)
  for (let tries = situation.isAboutFactors ? 4 : 1; tries > 0; tries -= 1) {
    const made = situation.random.weighted(all)(situation)
    if (made) return made
  }
  return undefined
}

/** With the code that an app shows when it is sent. @param {Action} action @param {number} now @returns {Action} */
const shown = ({ app, drift = 0, ...action }, now) =>
  app === undefined ? action : { ...action, drift, code: codeOf(app, stepAt(now) + drift) }

/**
 * Plays a sequence against the service, and compares all that can be seen with the model. Each index is an action, so a
 * shorter list of indexes is a shorter sequence.
 * @param {Stage} stage
 * @param {{ seed: number, indexes: number[], prefix: string, onStep?: () => void }} sequence
 * @throws Error with the steps of the sequence if the model cannot explain what was seen
 */
export async function play({ instances, clock, profile, strict, addOns }, { seed, indexes, prefix, onStep }) {
  const pool = poolOf(prefix)
  const isLazy = seed % 3 === 0
  const isAboutFactors = (addOns.totp || addOns.passkeys || addOns.oidc) && seed % 4 > 0
  const isAboutIdentities = addOns.oidc && seed % 4 === 1
  let readAt = clock.now()
  /** All that explain what was seen: after a race there may be several. @type {State[]} */
  let states = [newState(profile, clock.now(), addOns)]
  /** Lines, written only if they are needed. @type {(() => string)[]} */
  const trace = []

  try {
    for (const index of indexes) {
      const random = randomFrom(seed, index)
      const situation = situationOf(random)
      const pair = random.chance(0.08) ? raceOf(situation) : undefined
      if (pair) await perform(random, pair)
      else for (const action of [madeFor(situation) ?? []].flat()) await perform(random, [action])
    }
    const random = randomFrom(seed, -1)
    for (const part of epilogueOf(addOns)) {
      await readEmails()
      for (const action of part(situationOf(random))) await perform(random, [action])
    }
    await readEmails()
  } catch (error) {
    // What is queued belongs to this sequence.
    await instances.emails().catch(() => [])
    const { message, stack } = /** @type {Error} */ (error)
    throw new Error(
      [...trace.map((line) => line()), error instanceof Mismatch ? message : stack].join('\n'),
      { cause: error },
    )
  }

  /** @param {import('./random.js').Random} random */
  function situationOf(random) {
    return { state: current(), random, pool, isAboutFactors, isAboutIdentities }
  }

  function current() {
    return /** @type {State} */ (states[0])
  }

  /** @param {import('./random.js').Random} random @param {Action[]} given one action, or two at once */
  async function perform(random, given) {
    const seconds = given[0]?.type === 'wait' ? given[0].seconds : 1 + random.below(15)
    if (clock.now() + seconds * 1000 > readAt + patienceMs) await readEmails()
    clock.advance(seconds)
    const first = random.below(2)
    const actions = given.map((action, index) => {
      const instance = (first + index) % 2
      const sent = sentByBrowser(action, random, current())
      const by = { instance, isStrict: strict[instance] ?? false, isTrusting: isTrusting(instance) }
      return { ...shown(sent, clock.now()), ...by }
    })
    const at = new Date(clock.now()).toISOString().slice(5, 19)
    const mark = given.length > 1 ? 'at once ' : ''
    for (const { type, isStrict, isTrusting: _, ...rest } of actions)
      trace.push(() => `${at} ${mark}${type}${isStrict ? ' (strict)' : ''} ${label(current(), rest, prefix)}`)
    onStep?.()
    const replies = await Promise.all(actions.map((action) => instances.run(action)))
    for (const { status, body } of replies) trace.push(() => `  ${status} ${label(current(), body, prefix)}`)
    follow(actions, replies)
    const areRead = given.length > 1 || !isLazy || random.chance(0.1)
    if (areRead) await readEmails()
  }

  /** @param {Action[]} actions @param {Reply[]} replies */
  function follow(actions, replies) {
    /** @type {Set<string>} */
    const refuted = new Set()
    const now = clock.now()
    const seen = states.flatMap((state) => explain({ ...state, now }, actions, replies, refuted))
    if (seen.length === 0) throw new Mismatch(`The model expects\n  ${[...refuted].join('\n  or ')}`)
    keep(seen)
  }

  async function readEmails() {
    readAt = clock.now()
    const arrived = (await instances.emails())
      .filter(({ to }) => to.startsWith(prefix))
      .map((message) => readEmail(message, profile))
    for (const { to, sort, subject } of arrived)
      trace.push(() => `  email ${label(current(), { to, sort, subject }, prefix)}`)
    /** @type {Set<string>} */
    const wrong = new Set()
    const outcomes = states.flatMap((state) =>
      step({ ...state, now: clock.now() }, { type: 'read-emails' }).flatMap(({ answer, state: after }) => {
        const difference = compareEmails(after, /** @type {any} */ (answer.body).emails, arrived)
        if (difference !== undefined) wrong.add(difference)
        return difference === undefined ? [after] : []
      }),
    )
    if (outcomes.length === 0) throw new Mismatch(`The emails differ: ${[...wrong].join('\n  or ')}`)
    keep(outcomes)
  }

  /** @param {State[]} possible */
  function keep(possible) {
    states =
      possible.length === 1
        ? possible
        : [...new Map(possible.map((state) => [JSON.stringify(state), state])).values()]
    if (states.length > maxStates) throw new Error('Too many states explain what was seen')
  }
}
