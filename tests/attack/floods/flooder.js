// A client that attacks, in a process of its own, whose parent sends a job. It runs at the lowest priority, so that it takes
// only processor time that the service leaves, and counts responses without reading them.
import { connect } from 'node:net'
import { constants, setPriority } from 'node:os'

/**
 * @typedef {object} Job
 * @property {number} port
 * @property {number} connections
 * @property {string[]} [requests] sent in turn, each connection with one in flight
 * @property {Held} [held] instead of requests: connections that are only kept open
 */
/**
 * @typedef {object} Held
 * @property {string} opening what is sent first
 * @property {string} [drip] sent each second, also after the service has ended its side. Without it, the client ends too
 * @property {boolean} [isHalfOpen] ends the client's side
 */
/** @typedef {{ statuses: Record<string, number>, open: number, cpuShare: number }} Report `cpuShare`: of one core */

setPriority(constants.priority.PRIORITY_LOW)
/** @type {Record<string, number>} */
const statuses = {}
let open = 0

process.once('message', (/** @type {Job} */ { port, connections, requests = [], held }) => {
  const [startedAt, startedWith] = [performance.now(), process.cpuUsage()]
  let turn = 0
  const next = () => requests[turn++ % requests.length] ?? ''
  for (let number = 0; number < connections; number += 1) held ? hold(port, held) : flood(port, next)
  process.on('message', () => {
    const { user, system } = process.cpuUsage(startedWith)
    const cpuShare = (user + system) / 1_000 / (performance.now() - startedAt)
    process.send?.({ statuses, open, cpuShare })
  })
})
process.once('disconnect', () => process.exit())

/** Sends requests over one connection, and over a new one if the service closes it. @param {number} port @param {() => string} next */
function flood(port, next) {
  const socket = connect(port, '127.0.0.1').setNoDelay()
  socket.on('connect', () => socket.write(next()))
  socket.on('data', (part) => {
    // The rest of a long response has no status line.
    if (part.toString('latin1', 0, 5) !== 'HTTP/') return
    const status = part.toString('latin1', 9, 12)
    statuses[status] = (statuses[status] ?? 0) + 1
    socket.write(next())
  })
  socket.on('error', () => {})
  // Not at once: after the service has ended, this would be a busy loop.
  socket.on('close', () => setTimeout(flood, 100, port, next))
}

/** Keeps one connection open for as long as the service does. @param {number} port @param {Held} held */
function hold(port, { opening, drip, isHalfOpen }) {
  // Otherwise Node.js would answer the end of the service's side with the end of this one.
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  open += 1
  socket.on('connect', () => {
    if (opening !== '') socket.write(opening)
    if (isHalfOpen) socket.end()
  })
  const timer = drip === undefined ? undefined : setInterval(() => socket.write(drip), 1_000)
  socket.on('data', () => {}).on('error', () => {})
  socket.on('end', () => drip === undefined && socket.end())
  socket.on('close', () => {
    clearInterval(timer)
    open -= 1
  })
}
