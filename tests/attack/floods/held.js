import { setTimeout as delay } from 'node:timers/promises'
import { figure } from './figure.js'
import { startFlooder } from './start-flooder.js'
import { watch } from './watch.js'

/** The short form waits this long, so that only a defect reaches it. */
const HANGS_AFTER_SECONDS = 300

/**
 * Connections that a client keeps open without a complete request, and when the service has to have closed them. It checks
 * each second.
 * @typedef {object} HeldKind
 * @property {string} what
 * @property {import('./flooder.js').Held} held
 * @property {number} closedAfter seconds, as documented, with a margin for a busy machine
 */

const body =
  'POST /api/v1/auth/login HTTP/1.1\r\nHost: a\r\nContent-Type: application/json\r\nContent-Length: 9000\r\n\r\n'

/** @type {HeldKind[]} */
export const heldKinds = [
  // A peer that ignores the end of the connection used to keep its socket for ever.
  {
    what: 'refused sockets that ignore the end',
    held: { opening: 'nonsense\r\n\r\n', drip: 'x' },
    closedAfter: 10,
  },
  {
    what: 'half-open sockets',
    held: { opening: 'GET /health/live HTTP/1.1\r\n', isHalfOpen: true },
    closedAfter: 10,
  },
  { what: 'silent sockets', held: { opening: '' }, closedAfter: 20 },
  {
    what: 'slow headers',
    held: { opening: 'GET /health/live HTTP/1.1\r\nHost: a\r\n', drip: 'X-Slow: 1\r\n' },
    closedAfter: 25,
  },
  { what: 'slow bodies', held: { opening: body, drip: ' ' }, closedAfter: 40 },
]

/**
 * Holds connections of every kind at the same time, until the service has closed them.
 * @param {import('../service.js').Attacked} service
 * @param {import('./watch.js').Users} users
 * @param {import('./figure.js').Form} form
 */
export async function attackHeld({ url }, users, form) {
  const kinds = heldKinds.filter(({ closedAfter }) => form.isTimed || closedAfter <= 10)
  const holding = Promise.all(kinds.map((kind) => hold(url, kind, form)))
  const seen = await watch(url, users, holding)
  return [figure('all of the following at once', seen, form), ...(await holding)]
}

/**
 * @param {string} url
 * @param {HeldKind} kind
 * @param {import('./figure.js').Form} form
 * @returns {Promise<import('../run.js').Figure>}
 */
async function hold(url, { what, held, closedAfter }, form) {
  const startedAt = performance.now()
  const flooder = startFlooder(url, { connections: form.held, held })
  let [open, seconds] = [form.held, 0]
  while (open > 0 && seconds < (form.isTimed ? closedAfter : HANGS_AFTER_SECONDS)) {
    await delay(250)
    open = (await flooder.report()).open
    seconds = (performance.now() - startedAt) / 1_000
  }
  await flooder.stop()
  return {
    what: `${form.held} ${what}`,
    value: `${open} open${form.isTimed ? ` after ${seconds.toFixed(0)} s` : ''}`,
    goal: `0${form.isTimed ? ` after ${closedAfter} s` : ''}`,
    isMissed: open > 0,
  }
}
