import { freePort } from '../support/port.js'
import { findProgram } from '../support/programs.js'
import { ANSWERS_OF_SLICE, compare } from './compare.js'
import { countingCluster } from './counting.js'
import { repeat } from './load.js'
import { CORE, createService, currentUser, newName, registered, spawnHere, start } from './service.js'

/**
 * Asks for the current user at 1, 2 and 4 processes with one PostgreSQL and one Redis, each with all connections.
 * Processor time for each answer: a machine with a core for each process answers that many times as often.
 * @param {string} scratch an existing folder
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>} the first is one process
 * @throws Error if PostgreSQL or Redis is not installed
 */
export async function measureScale(scratch, rounds) {
  const server = findProgram('redis-server')
  const counting = server && (await countingCluster())
  if (!counting) throw new Error('PostgreSQL or Redis is missing. Install them, or leave out scale.')
  const project = createService(scratch, 'postgres', 'redis')
  const port = await freePort()
  const redis = spawnHere(server, ['--port', String(port), '--save', '', '--dir', scratch], {
    stdio: 'ignore',
  })
  const settings = { DATABASE_URL: counting.url, REDIS_URL: `redis://127.0.0.1:${port}` }
  const programs = [1, 2, 4].map((count) => ({
    name: `${count} processes`,
    ...(count > 1 && { goal: 0.9 }),
    start: async () => {
      const all = []
      for (let number = 0; number < count; number += 1)
        all.push(await start(project, 'dist/server.js', settings, CORE))
      const name = await registered(all[0]?.url ?? '', newName())
      const requests = await Promise.all(all.map(({ url }) => currentUser(url, name)))
      return {
        children: all.map(({ child }) => child),
        measured: count,
        perSlice: ANSWERS_OF_SLICE * count,
        database: counting.executed,
        connect: async () => {
          const parts = await Promise.all(requests.map((request) => repeat(request, name)))
          return {
            answers: (/** @type {number} */ amount) =>
              Promise.all(parts.map((part) => part.answers(amount / count))),
            close: () =>
              parts.forEach((part) => {
                part.close()
              }),
          }
        },
      }
    },
  }))
  try {
    return await compare(programs, rounds)
  } finally {
    redis.kill()
    counting.remove()
  }
}
