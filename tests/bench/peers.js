import { currentSession, installBetterAuth } from './better-auth.js'
import { compare } from './compare.js'
import { countingCluster } from './counting.js'
import { repeat } from './load.js'
import { CORE, createService, newName, start, startHello, startWithUser } from './service.js'

/**
 * Asks who the caller is: services on SQLite and, if its programs are installed, PostgreSQL, and better-auth, all beside
 * a bare Fastify. Rounds start with another program each time, so that a machine that slows down favors none.
 * @param {string} scratch an existing folder
 * @param {string} sqlite a built service on SQLite, whose Fastify and better-sqlite3 the others use too
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>}
 */
export async function measurePeers(scratch, sqlite, rounds) {
  const peer = installBetterAuth(sqlite)
  const counting = await countingCluster()
  /** @type {import('./compare.js').Program[]} */
  const programs = [
    { name: 'bare Fastify', start: () => startHello(sqlite) },
    { name: 'create-authsmith, SQLite', goal: 0.42, start: () => startWithUser(sqlite) },
  ]
  if (counting) {
    const postgres = createService(scratch, 'postgres')
    programs.push({
      name: 'create-authsmith, PostgreSQL',
      goal: 0.45,
      start: async () => ({
        ...(await startWithUser(postgres, { DATABASE_URL: counting.url })),
        database: counting.executed,
      }),
    })
  }
  programs.push({ name: `better-auth ${peer.version}, SQLite`, start: () => startBetterAuth(peer) })
  try {
    return await compare(programs, rounds)
  } finally {
    counting?.remove()
  }
}

/** @param {ReturnType<typeof installBetterAuth>} peer */
async function startBetterAuth({ folder, settings }) {
  const { child, url } = await start(folder, 'server.js', settings, CORE)
  const name = newName()
  const request = await currentSession(url, name, `${name}@example.com`)
  return { children: [child], connect: () => repeat(request, name) }
}
