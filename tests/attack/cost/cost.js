import { readOperations } from '../document.js'
import { startAttacked } from '../service.js'
import { hostileBodies, ordinaryBody, wrongPasswords } from './bodies.js'
import { createCallers } from './callers.js'
import { spentOn } from './processor.js'

/** @typedef {import('../document.js').Operation} Operation */
/** @typedef {import('./processor.js').Processor} Processor */
/** @typedef {{ status: number, spent: Processor }} Cost of one request */

/** A hostile request costs less than so many ordinary ones. */
const goal = 5

/** Other programs only add to the time, by emptying caches: a ratio above the goal is measured again. */
const tries = 6

const settings = { DOCS_ENABLED: 'true', RATE_LIMIT_ENABLED: 'false', LOG_LEVEL: 'error' }

/**
 * Sends hostile bodies to every endpoint of the OpenAPI document, and compares the processor time of the service with
 * that of an ordinary request to the same endpoint.
 *
 * The ordinary request is the one with the same outcome. If there is none, it is the cheapest that is refused. So a
 * refusal is never compared with a request that computes a hash. Where both compute one, the time of the event loop,
 * which computes none, shows what the body costs besides.
 * @param {import('../target.js').Target} target
 * @param {{ batch?: number, only?: RegExp }} [options] `batch`: requests per measurement
 * @returns {Promise<import('../run.js').Figure[]>}
 */
export async function attackCost(target, { batch = 8, only = /./ } = {}) {
  const service = await startAttacked(target, settings)
  try {
    const operations = (await readOperations(service)).filter(({ name }) => only.test(name))
    const costOf = createMeter(service, await createCallers(service, batch), batch)
    let count = 0
    const highest = { what: '', ratio: 0 }
    for (const operation of operations) {
      const worst = { what: '', ratio: 0 }
      await ordinaryCosts(operation, costOf)
      const ordinary = await ordinaryCosts(operation, costOf)
      for (const { what, text } of hostileBodies(operation)) {
        count += 1
        const ratio = await ratioOf(operation, text, ordinary, costOf)
        if (ratio > worst.ratio) Object.assign(worst, { what: `${operation.name}, ${what}`, ratio })
      }
      console.log(`${worst.ratio.toFixed(1).padStart(6)} x  ${worst.what}`)
      if (worst.ratio > highest.ratio) Object.assign(highest, worst)
    }
    return [
      {
        what: `processor time of ${count} hostile requests to ${operations.length} endpoints`,
        value: `at most ${highest.ratio.toFixed(1)} x: ${highest.what}`,
        goal: `under ${goal} x an ordinary request`,
        isMissed: highest.ratio >= goal,
      },
    ]
  } finally {
    await service.stop()
  }
}

/** @typedef {(operation: Operation, body: string, hasToken?: boolean) => Promise<Cost>} Meter */

/**
 * Measures a request as one of a batch of equal ones.
 * @param {import('../service.js').Attacked} service
 * @param {import('./callers.js').Callers} callers
 * @param {number} batch
 * @returns {Meter}
 */
function createMeter(service, callers, batch) {
  return async (operation, body, hasToken = operation.isProtected) => {
    const { method } = operation
    const path = operation.path.replaceAll(/\{\w+\}/g, '1')
    // A GET has no body: it gets a query, which has to fit into 16 KiB of headers.
    const isGet = method === 'GET'
    const url = isGet ? `${path}?${encodeURIComponent(body).slice(0, 12_000)}` : path
    /** @type {number[]} */
    const statuses = []
    const { eventLoop, all } = await spentOn(service.pid, async () => {
      for (let number = 0; number < batch; number += 1) {
        const headers = hasToken ? { authorization: `Bearer ${callers.tokenOf(number)}` } : {}
        statuses.push((await service.request(method, url, isGet ? undefined : body, headers)).status)
      }
    })
    for (const [number, status] of statuses.entries())
      if (hasToken && !isGet && status < 300) await callers.renew(number)
    return { status: statuses.at(-1) ?? 0, spent: { eventLoop: eventLoop / batch, all: all / batch } }
  }
}

/**
 * A request as clients send it, and requests that are refused: for a password, a field, their JSON or a missing token.
 * @param {Operation} operation
 * @param {Meter} costOf
 */
async function ordinaryCosts(operation, costOf) {
  const typical = [ordinaryBody(operation.body), wrongPasswords(operation.body)].map((body) =>
    JSON.stringify(body),
  )
  /** @type {Cost[]} */
  const costs = []
  for (const body of [...new Set(typical), '{"unknown":0}', '{']) costs.push(await costOf(operation, body))
  if (operation.isProtected) costs.push(await costOf(operation, '{}', false))
  return costs
}

/**
 * The higher one of two ratios, of the event loop and of all threads. A high one is measured again.
 * @param {Operation} operation
 * @param {string} body
 * @param {Cost[]} ordinary
 * @param {Meter} costOf
 */
async function ratioOf(operation, body, ordinary, costOf) {
  let lowest = Number.POSITIVE_INFINITY
  for (let attempt = 0; attempt < tries && lowest >= goal / 2; attempt += 1) {
    const costs = attempt === 0 ? ordinary : await ordinaryCosts(operation, costOf)
    const hostile = await costOf(operation, body)
    const alike = costs.filter(({ status }) => status === hostile.status)
    const refused = costs.filter(({ status }) => status >= 400)
    const comparable = alike.length > 0 ? alike : refused.length > 0 ? refused : costs
    /** @param {keyof Processor} of */
    const ratio = (of) => hostile.spent[of] / Math.min(...comparable.map(({ spent }) => spent[of]))
    lowest = Math.min(lowest, Math.max(ratio('eventLoop'), ratio('all')))
  }
  return lowest
}
