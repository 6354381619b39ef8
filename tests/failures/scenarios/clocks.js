import { setTimeout as delay } from 'node:timers/promises'
import { startSlowMailServer } from '../mail-server.js'
import { needs, newCluster } from '../needs.js'
import { direct, underLoad } from '../scenario.js'

const AHEAD_MS = 10 * 60_000

/** How long the mails may take after the load. */
const MAILS_MS = 300_000

/** Moves all clocks of JavaScript. The program faketime does the same, but not every machine has it. */
const moveClock = `
  const { now } = Date
  globalThis.Date = class extends Date {
    constructor(...given) { given.length === 0 ? super(now() + ${AHEAD_MS}) : super(...given) }
    static now() { return now() + ${AHEAD_MS} }
  }`

/**
 * The clock of one of two instances is ten minutes ahead. Each request goes to the other instance than the one before:
 * what one has issued, the other accepts. Each mail is sent once.
 * @type {import('../scenario.js').Scenario}
 */
export const clocks = {
  title: 'two instances whose clocks are ten minutes apart',
  needs: [needs.postgres],
  shortTimes: 1,
  async run({ project, times, through = direct }) {
    const folder = await project('postgres')
    const cluster = await newCluster()
    const mailServer = await startSlowMailServer(folder)
    const env = { EMAIL_PORT: String(mailServer.port) }
    const flags = ['--import', `data:text/javascript,${encodeURIComponent(moveClock)}`]
    try {
      return await underLoad({
        instances: [
          { project: folder, env },
          { project: folder, env, flags },
        ],
        databaseUrl: await through(cluster.url),
        times,
        fail: (_number, { clients }) => clients.each('answered', 15),
        checkDatabase: () => checkMails(cluster, mailServer.received),
      })
    } finally {
      await mailServer.stop()
      cluster.remove()
    }
  },
}

/**
 * Waits until the outbox is empty.
 * @param {import('../../support/cluster.js').Cluster} cluster
 * @param {string[]} received
 */
async function checkMails(cluster, received) {
  // Only an email with a token may be given up: the token is void by then.
  const waiting = () =>
    cluster.sql(
      'SELECT count(*) FROM outbox WHERE sent_at IS NULL AND (failed_at IS NULL OR not_after IS NULL)',
    )
  const giveUpAt = performance.now() + MAILS_MS
  while ((await waiting()) !== '0' && performance.now() < giveUpAt) await delay(200)
  const left = Number(await waiting())
  const twice = received.length - new Set(received).size
  return [
    ...(left > 0 ? [`${left} mails not sent after ${MAILS_MS / 1000} seconds`] : []),
    ...(twice > 0 ? [`${twice} of ${received.length} mails sent again`] : []),
  ]
}
