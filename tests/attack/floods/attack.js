import { newDatabase } from '../database.js'
import { startAttacked } from '../service.js'
import { figure, milliseconds, percent } from './figure.js'
import { floodsOf, manyConnections } from './floods.js'
import { attackHeld, heldKinds } from './held.js'
import { startFlooder } from './start-flooder.js'
import { createAccount, flooded, memoryOf, watch } from './watch.js'

/**
 * Otherwise the defaults. Reading a log line per request would slow down what measures. The user logs in during all floods,
 * twelve times in each: more often than a user may within an hour.
 */
const settings = {
  TRUST_PROXY: '127.0.0.1',
  DOCS_ENABLED: 'true',
  LOG_LEVEL: 'warn',
  RATE_LIMIT_LOGINS: '10000',
}
/** An empty setting is its default, with which a hash costs what it costs an owner. */
const realHashes = { BCRYPT_COST: '', ARGON2_MEMORY_KIB: '', ARGON2_TIME_COST: '' }
const LARGEST_MIB = 512

/** @type {import('./figure.js').Form} */
const full = { seconds: 4, responses: 0, connections: 64, held: 200, hashes: realHashes, isTimed: true }
/** @type {import('./figure.js').Form} */
export const short = { seconds: 0, responses: 60, connections: 16, held: 20, hashes: {}, isTimed: false }

/**
 * Floods the service while a user from another address goes on using it.
 * @param {import('../target.js').Target} target
 * @param {import('./figure.js').Form} [form]
 * @returns {Promise<import('../run.js').Figure[]>}
 */
export async function attackFloods(target, form = full) {
  const database = await newDatabase(target)
  const service = await startAttacked(target, { ...settings, ...form.hashes, ...database.settings })
  const { body: openApi } = await service.request('GET', '/openapi.json')
  // The logins of one user end their oldest sessions, so another one reads.
  const users = {
    reader: await createAccount(service, 'reader', '198.51.100.7'),
    user: await createAccount(service, 'user', '198.51.100.8'),
  }
  let [memory, number] = [0, 0]

  /** @param {import('./floods.js').Flood} flood */
  const start = async ({ addresses, connections, requestsOf }) => {
    const clients = []
    for (const address of addresses) {
      number += 1
      clients.push(await createAccount(service, `client-${number}`, address))
    }
    return clients.map((client) => startFlooder(service.url, { connections, requests: requestsOf(client) }))
  }

  /** @param {import('./floods.js').Flood} flood */
  const attack = async (flood) => {
    const flooders = await start(flood)
    // Several programs that start at once would delay the service themselves.
    await Promise.all(flooders.map((flooder) => flooder.report()))
    const during = flooded(flooders, form)
    const seen = await watch(service.url, users, during)
    memory = Math.max(memory, memoryOf(service.pid))
    for (const flooder of flooders) await flooder.stop()
    return { ...flood, seen, ...(await during) }
  }

  const quiet = await watch(service.url, users, flooded([], { ...form, responses: 0 }))
  const figures = [figure('no flood', quiet, form)]
  for (const flood of [...floodsOf(openApi, form.connections), manyConnections(openApi)]) {
    const { what, seen, statuses, cpuShare } = await attack(flood)
    figures.push(figure(what, seen, form, ` | ${JSON.stringify(statuses)}, flooder ${percent(cpuShare)}`))
  }
  figures.push(...(await attackHeld(service, users, form)))
  memory = Math.max(memory, memoryOf(service.pid))
  figures.push({
    what: 'memory of the service',
    value: `${memory.toFixed(0)} MiB`,
    goal: `under ${LARGEST_MIB} MiB`,
    isMissed: memory >= LARGEST_MIB,
  })

  const last = await start(manyConnections(openApi))
  const held = heldKinds.map((kind) => startFlooder(service.url, { connections: form.held, held: kind.held }))
  await flooded(last, { seconds: 0, responses: 300 })
  const ended = await service.stop()
  for (const flooder of [...last, ...held]) await flooder.stop()
  await database.drop()
  return [
    ...figures,
    {
      what: 'SIGTERM amid all of them',
      value: `exit code ${ended.code}${form.isTimed ? `, ${milliseconds(ended.ms)}` : ''}`,
      goal: `0${form.isTimed ? ', under 2000 ms' : ''}`,
      isMissed: ended.code !== 0 || (form.isTimed && ended.ms >= 2_000),
    },
  ]
}
