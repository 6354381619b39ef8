import { readdirSync, readFileSync } from 'node:fs'
import { setTimeout as delay } from 'node:timers/promises'

/**
 * The processor time of a process in nanoseconds: of its event loop, for which everyone waits, and of all its threads.
 * @typedef {{ eventLoop: number, all: number }} Processor
 */

/**
 * Reads the processor time of a process from Linux. Node.js runs the event loop on the main thread, and hashes on others.
 * @param {number} pid
 * @returns {Processor}
 */
function read(pid) {
  const folder = `/proc/${pid}/task`
  /** @param {string} thread */
  const nanoseconds = (thread) => Number(readFileSync(`${folder}/${thread}/schedstat`, 'utf8').split(' ')[0])
  const all = readdirSync(folder).reduce((sum, thread) => sum + nanoseconds(thread), 0)
  return { eventLoop: nanoseconds(String(pid)), all }
}

/**
 * Measures what the process spends until `work` has ended and the process has nothing to do.
 * @param {number} pid
 * @param {() => Promise<unknown>} work
 * @returns {Promise<Processor>}
 */
export async function spentOn(pid, work) {
  const before = read(pid)
  await work()
  // The log of a response is written after it, and Linux books the time when a thread goes to sleep.
  await delay(5)
  const after = read(pid)
  return { eventLoop: after.eventLoop - before.eventLoop, all: after.all - before.all }
}
