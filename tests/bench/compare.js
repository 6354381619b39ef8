import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { median } from './figures.js'
import { CONNECTIONS } from './load.js'

/** A slow moment of the machine meets all programs when each runs for less. */
export const ANSWERS_OF_SLICE = 4 * CONNECTIONS
const SLICES = 60
/** The compiler of V8 is done with a route then. */
const WARM_UP_MS = 1_500

/** @typedef {{ url: string, headers: Record<string, string> }} Request */

/**
 * @typedef {object} Connections
 * @property {(amount: number) => Promise<unknown>} answers resolves when this many answers are here
 * @property {() => void} close
 */

/**
 * @typedef {object} Running
 * @property {import('node:child_process').ChildProcess[]} children
 * @property {number} [measured] how many of them, from the first one. Default: 1
 * @property {() => Promise<Connections>} connect
 * @property {number} [perSlice] answers. Default: ANSWERS_OF_SLICE
 * @property {() => Promise<{ queries: number, ms: number }>} [database] what PostgreSQL has executed so far
 */

/** @typedef {{ name: string, goal?: number, start: () => Promise<Running> }} Program `goal`: the ratio to the first program */

/**
 * Measures all programs in each round, in slices that take turns. Each round starts them anew: what the compiler and the
 * memory make of a program differs by some percent from process to process.
 * @param {Program[]} programs the first is what the others are compared with
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>}
 */
export async function compare(programs, rounds) {
  const rows = programs.map((program) => ({ ...program, samples: /** @type {Sample[]} */ ([]) }))
  for (let round = 1; round <= rounds; round += 1) {
    console.log(`Round ${round} of ${rounds} …`)
    // A process that has just started is faster than one that waits for the others.
    const first = round % rows.length
    await measureOnce([...rows.slice(first), ...rows.slice(0, first)])
  }
  return rows
}

/** @typedef {import('./figures.js').Sample} Sample */
/** @typedef {Program & { samples: Sample[] }} Measured */
/** @typedef {Running & { perSlice: number, connections: Connections, slices: Slice[] }} Target */

/** @param {Measured[]} programs get a sample each */
async function measureOnce(programs) {
  /** @type {Target[]} */
  const targets = []
  try {
    for (const program of programs) targets.push(await opened(program))
    const before = await Promise.all(targets.map(({ database }) => database?.()))
    for (let slice = 0; slice < SLICES; slice += 1)
      for (let turn = 0; turn < targets.length; turn += 1) {
        const target = targets[(slice + turn) % targets.length]
        target?.slices.push(await sliceOf(target))
      }
    const after = await Promise.all(targets.map(({ database }) => database?.()))
    for (const [number, target] of targets.entries())
      programs[number]?.samples.push(sampleOf(target, before[number], after[number]))
  } finally {
    for (const { connections } of targets) connections.close()
    await Promise.all(targets.flatMap(({ children }) => children.map(stop)))
  }
}

/** @param {import('node:child_process').ChildProcess} child */
async function stop(child) {
  if (child.kill()) await once(child, 'exit')
}

/** @param {Program} program @returns {Promise<Target>} warmed up */
async function opened({ start }) {
  const { perSlice = ANSWERS_OF_SLICE, ...running } = await start()
  const connections = await running.connect()
  const end = performance.now() + WARM_UP_MS
  while (performance.now() < end) await connections.answers(perSlice)
  return { ...running, perSlice, connections, slices: [] }
}

/** @typedef {{ ms: number, cpu: number }} Slice for each answer; `cpu` in microseconds */

/** @param {Target} target */
async function sliceOf({ children, measured = 1, connections, perSlice }) {
  const cpu = () => children.slice(0, measured).reduce((sum, { pid }) => sum + cpuOf(pid), 0)
  const [startedAt, before] = [performance.now(), cpu()]
  await connections.answers(perSlice)
  const [ms, time] = [performance.now() - startedAt, cpu() - before]
  return { ms: ms / perSlice, cpu: time / perSlice }
}

/**
 * @param {Target} target
 * @param {{ queries: number, ms: number }} [before] what PostgreSQL had executed
 * @param {{ queries: number, ms: number }} [after]
 * @returns {Sample}
 */
function sampleOf({ slices, perSlice }, before, after) {
  const cpu = median(slices.map((slice) => slice.cpu))
  const sent = slices.length * perSlice
  return {
    perSecond: 1_000 / median(slices.map(({ ms }) => ms)),
    ...(cpu > 0 && { cpu }),
    ...(before &&
      after && {
        queries: (after.queries - before.queries) / sent,
        server: (1_000 * (after.ms - before.ms)) / sent,
      }),
  }
}

/**
 * The microseconds that all threads of a process have run, which Linux counts in nanoseconds. 0 on other systems.
 * @param {number | undefined} pid
 */
export function cpuOf(pid) {
  const threads = `/proc/${pid}/task`
  if (!existsSync(`${threads}/${pid}/schedstat`)) return 0
  const times = readdirSync(threads).map(
    (id) => readFileSync(`${threads}/${id}/schedstat`, 'utf8').split(' ')[0],
  )
  return times.reduce((sum, time) => sum + Number(time) / 1_000, 0)
}
