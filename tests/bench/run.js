// npm run bench [-- --part peers --rounds 9 --svg]: measures the documented figures as ratios within one run. Not part of
// the tests. --part is one of PARTS below. --svg draws the comparison with peers to docs/images/speed.svg.
// On Linux with two cores, `taskset -c 1` before it leaves the first core to the services.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { cpus, loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { measureAddOns } from './add-ons.js'
import { chartOf } from './chart.js'
import { measureCommand } from './command.js'
import { judge, tableOf } from './figures.js'
import { measureGateway } from './gateway.js'
import { measureImported } from './imported.js'
import { measureKeys } from './keys.js'
import { CONNECTIONS } from './load.js'
import { measurePeers } from './peers.js'
import { measureScale } from './scale.js'
import { createService, fetchAutocannon, measureService } from './service.js'
import { measureStart } from './start.js'
import { loginsByRefreshes, measureWrites } from './writes.js'

const PARTS = [
  'command',
  'start',
  'service',
  'peers',
  'writes',
  'scale',
  'keys',
  'add-ons',
  'gateway',
  'imported',
]
const COMPARISONS = [
  {
    part: 'writes',
    how: 'Refreshes, and logins without the time of their hash, as a share of a bare Fastify; then logins as a share of refreshes.',
    measure: measureWrites,
    others: loginsByRefreshes,
  },
  {
    part: 'scale',
    how: 'Requests for the current user in the same processor time at several processes, as a share of one.',
    measure: measureScale,
  },
  {
    part: 'keys',
    how: 'Requests for the current user by the algorithm of the token, as a share of HS256.',
    measure: measureKeys,
  },
  {
    part: 'add-ons',
    how: 'Requests for the current user with add-ons for logging in, as a share of those without.',
    measure: measureAddOns,
  },
  {
    part: 'gateway',
    how: 'Requests through nginx by what it asks for each of them, as a share of users/me.',
    measure: measureGateway,
  },
]
const { values: options } = parseArgs({
  options: {
    part: { type: 'string', multiple: true, default: PARTS },
    rounds: { type: 'string', default: '9' },
    svg: { type: 'boolean', default: false },
  },
})
const LIMITS =
  'All in production mode. The guards of the services have no rate limit, and better-auth runs with rateLimit: { enabled: false }.'
const rounds = Number(options.rounds)
const unknown = options.part.find((part) => !PARTS.includes(part))
if (unknown) throw new Error(`--part is one of ${PARTS.join(', ')}, not ${unknown}.`)
if (!(rounds >= 5)) throw new Error('--rounds is at least 5: fewer have no spread to judge.')
if (options.svg && !options.part.includes('peers')) throw new Error('--svg needs the part peers.')

// A normal exit also stops the database server.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-bench-'))
try {
  const isAsked = (/** @type {string} */ part) => options.part.includes(part)
  const figures = isAsked('command') ? measureCommand(scratch) : []
  const lines = []
  if (isAsked('start')) figures.push(...(await measureStart(scratch, rounds)))
  for (const { part, how, measure, others } of COMPARISONS) {
    if (!isAsked(part)) continue
    const rows = await measure(scratch, rounds)
    lines.push('', how)
    for (const each of [rows, ...(others?.(rows) ?? [])]) lines.push(...tableOf(judge(each)))
  }
  if (isAsked('imported')) figures.push(...(await measureImported(scratch)))
  const sqlite = isAsked('service') || isAsked('peers') ? createService(scratch, 'sqlite') : ''
  if (isAsked('service')) figures.push(...(await measureService(sqlite, fetchAutocannon(scratch))))
  if (isAsked('peers')) {
    const rows = judge(await measurePeers(scratch, sqlite, rounds))
    const how = `Requests for the current user, ${CONNECTIONS} connections, medians of ${rounds} rounds; the line spans all rounds.`
    lines.push('', how, LIMITS, ...tableOf(rows))
    if (options.svg) draw(rows, how)
  }
  const width = Math.max(...figures.map(({ what }) => what.length))
  console.log(`\n${machine()}, load average ${loadavg().map((load) => load.toFixed(1))}`)
  for (const { what, value, goal } of figures) {
    console.log(`${what.padEnd(width)}  ${value}${goal ? `  (goal: ${goal})` : ''}`)
  }
  for (const line of lines) console.log(line)
} finally {
  rmSync(scratch, { recursive: true, force: true })
}

function machine() {
  return `Node ${process.versions.node}, ${cpus().length} cores of ${cpus()[0]?.model ?? process.arch}`
}

/**
 * @param {import('./figures.js').Judged[]} rows
 * @param {string} how
 */
function draw(rows, how) {
  const title = 'Authenticated requests in the same processor time, as a share of a bare Fastify'
  const where = `${machine()}, ${new Date().toISOString().slice(0, 10)}`
  writeFileSync(
    join(import.meta.dirname, '../../docs/images/speed.svg'),
    chartOf(rows, { title, how, where }),
  )
}
