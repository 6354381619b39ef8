import { newDatabase } from '../database.js'
import { rawRequest } from '../measure/connection.js'
import { startAttacked } from '../service.js'
import { tellTales, unattacked } from './endpoints.js'
import { samplePairs, sampleSequence } from './sample.js'

const PASSWORD = 'Correct-Horse-7'

/** No limit answers first, and every request for a mail has its full effect. Cheap hashes hide the least. */
const settings = {
  DOCS_ENABLED: 'true',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_AUTH_REQUESTS: '1000000',
  RATE_LIMIT_LOGIN_FAILURES: '1000000',
  RATE_LIMIT_LOGIN_FAILURES_PER_ADDRESS: '1000000',
  RATE_LIMIT_LOGIN_FAILURES_PER_ACCOUNT: '1000000',
  RATE_LIMIT_REGISTER: '1000000',
  RATE_LIMIT_EMAIL_CHANGES: '1000000',
  RATE_LIMIT_MAIL_REQUESTS: '1000000',
  RATE_LIMIT_MAIL_INTERVAL_SECONDS: '0',
  RATE_LIMIT_MAILS: '1000000',
}

/**
 * The 95 % confidence intervals are ± 0.025 (AUC of 1000 and 1000) and ± 5 % (order of 400), a half of the goals, so that
 * chance alone misses one in ten thousand figures. In the short form only the order
 * counts, which does not depend on the machine's speed; chance alone leaves its goal once in ten million runs.
 * @typedef {object} Form
 * @property {number} users so many that each request meets a name without a waiting request for a mail
 * @property {number} samples of requests in sequence; 0: none
 * @property {number} pairs
 * @property {[number, number]} order the goal, as shares
 */
/** @type {Form} */
const full = { users: 500, samples: 1000, pairs: 400, order: [0.4, 0.6] }
/** @type {Form} */
export const short = { users: 60, samples: 0, pairs: 60, order: [0.15, 0.85] }

/**
 * Measures whether the time of an answer, or the order of two answers, reveals whether a name belongs to a user.
 * @param {import('../target.js').Target} target
 * @param {Form} [form]
 * @returns {Promise<import('../run.js').Figure[]>}
 * @throws Error if the answers already differ by their status
 */
export async function attackTellTales(target, form = full) {
  const database = await newDatabase(target)
  const service = await startAttacked(target, { ...settings, ...database.settings })
  try {
    const { body: openApi } = await service.request('GET', '/openapi.json')
    const names = Array.from({ length: form.users }, (_, user) => nameOf(true, user))
    for (const username of ['caller', ...names]) {
      const body = { username, email: `${username}@example.com`, password: PASSWORD }
      await service.request('POST', '/api/v1/auth/register', body)
    }
    const login = { username: 'caller', password: PASSWORD }
    const { access_token: token } = (await service.request('POST', '/api/v1/auth/login', login)).body

    const missing = unattacked(openApi)
    const figures = [
      {
        what: 'endpoints that take a name and are not attacked',
        value: missing.join(', ') || '0',
        goal: '0',
        isMissed: missing.length > 0,
      },
    ]
    for (const tellTale of tellTales)
      if (openApi.paths[tellTale.path]?.[tellTale.method])
        figures.push(...(await measure(service.url, tellTale, token, form)))
    return figures
  } finally {
    await service.stop()
    await database.drop()
  }
}

/**
 * @param {string} url
 * @param {import('./endpoints.js').TellTale} tellTale
 * @param {string} token
 * @param {Form} form
 */
async function measure(url, { what, method, path, bodyOf, needsToken }, token, form) {
  let sent = 0
  const next = (/** @type {boolean} */ isKnown) => {
    const body = bodyOf(nameOf(isKnown, (sent >> 1) % form.users))
    sent += 1
    return rawRequest(method.toUpperCase(), path, { body, token: needsToken ? token : undefined })
  }
  const figures = []
  const statuses = new Set()
  if (form.samples > 0) {
    const sequence = await sampleSequence(url, next, form.samples)
    const { auc, medians } = sequence
    figures.push({
      what: `${what}, ${form.samples} in sequence`,
      value: `AUC ${auc.value.toFixed(3)} ± ${auc.error.toFixed(3)}, medians ${medians.map((ms) => ms.toFixed(2)).join(' and ')} ms`,
      goal: '0.45 to 0.55',
      isMissed: auc.value < 0.45 || auc.value > 0.55,
    })
    for (const status of sequence.statuses) statuses.add(status)
  }
  const { order, ...pairs } = await samplePairs(url, next, form.pairs)
  const percent = (/** @type {number} */ share) => (share * 100).toFixed(0)
  const [low, high] = form.order
  figures.push({
    what: `${what}, ${form.pairs} pairs at once`,
    value: `known last ${percent(order.value)} ± ${percent(order.error)} %`,
    goal: `${percent(low)} to ${percent(high)} %`,
    isMissed: order.value < low || order.value > high,
  })
  for (const status of pairs.statuses) statuses.add(status)
  if (statuses.size !== 1) throw new Error(`${what}: different statuses: ${[...statuses].join(', ')}`)
  return figures
}

/** Names of equal length, so that requests differ only in whether the user exists. @param {boolean} isKnown @param {number} number */
const nameOf = (isKnown, number) => `${isKnown ? 'known' : 'other'}${String(number).padStart(4, '0')}`
