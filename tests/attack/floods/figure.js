/**
 * The short form has no goal in milliseconds: what counts is that every other client is answered.
 * @typedef {object} Form
 * @property {number} seconds of each flood
 * @property {number} responses that each flood has to get, however long it takes
 * @property {number} connections of a client to one endpoint
 * @property {number} held connections of each kind
 * @property {Record<string, string>} hashes settings
 * @property {boolean} isTimed
 */

/**
 * What others saw during a flood. The own delay is what this process may have added to the times.
 * @param {string} what
 * @param {Awaited<ReturnType<typeof import('./watch.js').watch>>} seen
 * @param {Form} form
 * @param {string} [note]
 * @returns {import('../run.js').Figure}
 */
export function figure(what, { live, me, login }, { isTimed }, note = '') {
  const bad = live.bad + me.bad + login.bad
  const times = `live p99 ${milliseconds(live.p99)}, me p50 ${milliseconds(me.p50)} p99 ${milliseconds(me.p99)}, login ${milliseconds(login.max)}, own delay ${milliseconds(live.late)}`
  return {
    what,
    value: `${bad} of ${live.count + me.count + login.count} refused${isTimed ? `, ${times}` : ''}${note}`,
    goal: isTimed ? '0, live p99 under 100 ms, login under 2000 ms' : '0',
    isMissed: bad > 0 || (isTimed && (live.p99 >= 100 || login.max >= 2_000)),
  }
}

/** @param {number} value */
export const milliseconds = (value) => `${value.toFixed(0)} ms`

/** @param {number} share */
export const percent = (share) => `${(share * 100).toFixed(0)} %`
