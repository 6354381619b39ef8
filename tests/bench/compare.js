import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { answersTo, CONNECTIONS } from './service.js'

/** A slow second of the machine meets all programs when each runs for less. */
const SLICE_SECONDS = 0.5
const SLICES = 6

/**
 * @typedef {object} Program
 * @property {string} name
 * @property {number | undefined} pid
 * @property {{ url: string, headers?: Record<string, string> }} request
 * @property {string} mark what the answer contains
 * @property {number} [goal] the ratio to the first program
 * @property {() => Promise<{ queries: number, ms: number }>} [database] what PostgreSQL has executed so far
 */

/**
 * Measures all programs in each round, in slices of half a second that take turns. The order changes with each slice.
 * @param {Program[]} programs the first is what the others are compared with
 * @param {import('./service.js').Load} load
 * @param {number} rounds
 */
export async function compare(programs, load, rounds) {
  const targets = []
  for (const program of programs) {
    const { name, request, mark } = program
    const answer = await fetch(request.url, { headers: request.headers ?? {} })
    const expectBody = await answer.text()
    if (!answer.ok || !expectBody.includes(mark)) throw new Error(`${name}: ${answer.status} ${expectBody}`)
    // The compiler of V8 is done with a route after a few seconds.
    await answersTo(load, { ...request, duration: 3 })
    const { requests } = await answersTo(load, { ...request, duration: 2 })
    const amount = Math.max(CONNECTIONS, Math.round(requests.average * SLICE_SECONDS))
    targets.push({ ...program, amount, options: { ...request, expectBody, amount } })
  }
  const rows = programs.map(({ name, goal }) => ({
    name,
    goal,
    samples: /** @type {import('./figures.js').Sample[]} */ ([]),
  }))
  console.log(`Measuring ${rounds} rounds of ${programs.length} programs …`)
  for (let round = 0; round < rounds; round += 1) {
    const spent = targets.map(() => ({ ms: 0, cpu: 0, queries: 0, server: 0 }))
    for (let slice = 0; slice < SLICES; slice += 1)
      for (let turn = 0; turn < targets.length; turn += 1) {
        const number = (round + slice + turn) % targets.length
        const [target, sum] = [targets[number], spent[number]]
        if (!target || !sum) continue
        const used = await usedDuring(target, () => answersTo(load, target.options))
        sum.ms += used.ms
        sum.cpu += used.cpu
        sum.queries += used.queries
        sum.server += used.server
      }
    targets.forEach(({ amount, database }, number) => {
      const { ms = 0, cpu = 0, queries = 0, server = 0 } = spent[number] ?? {}
      const answers = SLICES * amount
      rows[number]?.samples.push({
        perSecond: (1_000 * answers) / ms,
        ...(cpu > 0 && { cpu: cpu / answers }),
        ...(database && { queries: queries / answers, server: server / answers }),
      })
    })
  }
  return rows
}

/**
 * @param {Program} program
 * @param {() => Promise<unknown>} work
 * @returns what it used meanwhile; `cpu` and `server` in microseconds
 */
async function usedDuring({ pid, database }, work) {
  const before = { ...(await database?.()), cpu: cpuOf(pid), at: performance.now() }
  await work()
  const [ms, cpu] = [performance.now() - before.at, cpuOf(pid) - before.cpu]
  const after = await database?.()
  return {
    ms,
    cpu,
    queries: (after?.queries ?? 0) - (before.queries ?? 0),
    server: 1_000 * ((after?.ms ?? 0) - (before.ms ?? 0)),
  }
}

/**
 * The microseconds that all threads of a process have run, which Linux counts in nanoseconds. 0 on other systems.
 * @param {number | undefined} pid
 */
function cpuOf(pid) {
  const threads = `/proc/${pid}/task`
  if (!existsSync(`${threads}/${pid}/schedstat`)) return 0
  const times = readdirSync(threads).map(
    (id) => readFileSync(`${threads}/${id}/schedstat`, 'utf8').split(' ')[0],
  )
  return times.reduce((sum, time) => sum + Number(time) / 1_000, 0)
}
