import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createCluster, findPostgres } from '../support/cluster.js'
import { currentSession, installBetterAuth } from './better-auth.js'
import { answersTo, CORE, createService, currentUser, HELLO, registered, start } from './service.js'

/** @typedef {{ name: string, pid: number | undefined, request: { url: string, headers?: Record<string, string> }, mark: string, goal?: number }} Program */

const USER = 'alice'
/** An answer about the current user contains it. */
const EMAIL = `${USER}@example.com`

/**
 * Asks who the caller is: services on SQLite and, if its programs are installed, PostgreSQL, and better-auth, all beside
 * a bare Fastify. Rounds start with another program each time, so that a machine that slows down favors none.
 * @param {string} scratch an existing folder
 * @param {string} sqlite a built service on SQLite, whose Fastify and better-sqlite3 the others use too
 * @param {import('./service.js').Load} load
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>}
 */
export async function measurePeers(scratch, sqlite, load, rounds) {
  const peer = installBetterAuth(sqlite)
  const installed = findPostgres()
  if (!installed) console.log('PostgreSQL is not measured: initdb not found.')
  const postgres = installed ? createService(scratch, 'postgres') : undefined
  const cluster = installed ? await createCluster(installed) : undefined
  /** @type {import('node:child_process').ChildProcess[]} */
  const children = []
  /** @param {string} folder @param {string} script @param {Record<string, string>} [settings] */
  const run = async (folder, script, settings) => {
    const { child, url } = await start(folder, script, settings, CORE)
    children.push(child)
    return { url, pid: child.pid }
  }
  /** @param {string} name @param {number} goal @param {string} folder @param {Record<string, string>} [settings] */
  const service = async (name, goal, folder, settings) => {
    const { url, pid } = await run(folder, 'dist/server.js', settings)
    await registered(url, USER)
    return {
      name: `create-authsmith, ${name}`,
      goal,
      pid,
      request: await currentUser(url, USER),
      mark: EMAIL,
    }
  }
  try {
    writeFileSync(join(sqlite, 'hello.js'), HELLO)
    const hello = await run(sqlite, 'hello.js')
    const bare = {
      name: 'bare Fastify',
      pid: hello.pid,
      request: { url: `${hello.url}/health/ready` },
      mark: 'hello',
    }
    /** @type {Program[]} */
    const programs = [bare, await service('SQLite', 0.42, sqlite)]
    if (postgres && cluster)
      programs.push(await service('PostgreSQL', 0.45, postgres, { DATABASE_URL: cluster.url }))
    const other = await run(peer.folder, 'server.js', peer.settings)
    programs.push({
      name: `better-auth ${peer.version}, SQLite`,
      pid: other.pid,
      request: await currentSession(other.url, USER, EMAIL),
      mark: EMAIL,
    })
    return await compare(programs, load, rounds)
  } finally {
    for (const child of children) child.kill()
    cluster?.remove()
  }
}

/**
 * Measures all programs in each round.
 * @param {Program[]} programs the first is what the others are compared with
 * @param {import('./service.js').Load} load
 * @param {number} rounds
 */
export async function compare(programs, load, rounds) {
  const targets = []
  for (const { name, goal, pid, request, mark } of programs) {
    const answer = await fetch(request.url, { headers: request.headers ?? {} })
    const expectBody = await answer.text()
    if (!answer.ok || !expectBody.includes(mark)) throw new Error(`${name}: ${answer.status} ${expectBody}`)
    await answersTo(load, { ...request, duration: 2 })
    targets.push({ name, goal, pid, request: { ...request, expectBody } })
  }
  const rows = programs.map(({ name, goal }) => ({
    name,
    goal,
    samples: /** @type {import('./figures.js').Sample[]} */ ([]),
  }))
  console.log(`Measuring ${rounds} rounds of ${programs.length} programs …`)
  for (let round = 0; round < rounds; round += 1) {
    const measured = []
    for (let turn = 0; turn < targets.length; turn += 1) {
      const number = (round + turn) % targets.length
      const { pid, request } = targets[number] ?? {}
      const [startedAt, before] = [performance.now(), cpuMs(pid)]
      const { requests } = await answersTo(load, request ?? {})
      const [elapsed, after] = [performance.now() - startedAt, cpuMs(pid)]
      const core = before === undefined || after === undefined ? undefined : (after - before) / elapsed
      measured[number] = { perSecond: requests.average, core }
    }
    const bare = measured[0]?.perSecond ?? Number.NaN
    measured.forEach((sample, number) => {
      rows[number]?.samples.push({ ...sample, ratio: sample.perSecond / bare })
    })
  }
  return rows
}

/**
 * The CPU time that a process has used, on Linux, which counts it in hundredths of a second.
 * @param {number | undefined} pid
 */
function cpuMs(pid) {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return undefined
  const [user, system] = readFileSync(file, 'utf8').split(') ').at(-1)?.split(' ').slice(11, 13) ?? []
  return 10 * (Number(user) + Number(system))
}
