import { writeFileSync } from 'node:fs'
import { Agent } from 'node:http'
import { join } from 'node:path'
import { compare } from './compare.js'
import { countingCluster } from './counting.js'
import { post } from './post.js'
import { CORE, createService, newName, PASSWORD, start, startHello } from './service.js'

/** Fewer than the share that one address has of the queue for hashes. */
const CLIENTS = 16

/** High enough for the load, because without limits an attempt would not be counted. */
const LIMITS = Object.fromEntries(
  [
    'AUTH_REQUESTS',
    'LOGIN_FAILURES',
    'LOGIN_FAILURES_PER_ADDRESS',
    'LOGIN_FAILURES_PER_ACCOUNT',
    'LOGINS',
    'REGISTER',
  ].map((name) => [`RATE_LIMIT_${name}`, '1000000']),
)

/** The service without the time of hashes. They are as strong as the service asks for: a login would replace weaker ones. */
const SERVICE = `
import { createRequire } from 'node:module'
const argon2 = createRequire(import.meta.url)('@node-rs/argon2')
const hash = await argon2.hash('${PASSWORD}', { memoryCost: 65_536, timeCost: 3 })
argon2.hash = async () => hash
argon2.verify = async () => true
await import('./dist/server.js')
`

/**
 * Refreshes tokens, and logs in without the hash, on SQLite and, if its programs are installed, PostgreSQL.
 * @param {string} scratch an existing folder
 * @param {number} rounds
 * @returns {Promise<import('./figures.js').Row[]>} the first is a bare Fastify
 */
export async function measureWrites(scratch, rounds) {
  const sqlite = createService(scratch, 'sqlite')
  /** @type {import('./compare.js').Program[]} */
  const programs = [
    { name: 'bare Fastify', start: () => startHello(sqlite) },
    { name: 'refresh, SQLite', goal: 0.1, start: () => startFlow(sqlite, 'refresh') },
    { name: 'login, SQLite', start: () => startFlow(sqlite, 'login') },
  ]
  const counting = await countingCluster()
  if (counting) {
    const postgres = createService(scratch, 'postgres')
    const settings = { DATABASE_URL: counting.url }
    const flow = (/** @type {'refresh' | 'login'} */ name) => async () => ({
      ...(await startFlow(postgres, name, settings)),
      database: counting.executed,
    })
    programs.push({ name: 'refresh, PostgreSQL', goal: 0.05, start: flow('refresh') })
    programs.push({ name: 'login, PostgreSQL', start: flow('login') })
  }
  try {
    return await compare(programs, rounds)
  } finally {
    counting?.remove()
  }
}

/**
 * The logins of each database beside its refreshes.
 * @param {import('./figures.js').Row[]} rows of `measureWrites`
 */
export const loginsByRefreshes = (rows) =>
  ['SQLite', 'PostgreSQL'].flatMap((database) => {
    const [refresh, login] = ['refresh', 'login'].map((flow) =>
      rows.find(({ name }) => name === `${flow}, ${database}`),
    )
    return refresh && login
      ? [
          [
            { ...refresh, goal: undefined },
            { ...login, goal: 0.5 },
          ],
        ]
      : []
  })

/**
 * @param {string} project a built service
 * @param {'refresh' | 'login'} flow
 * @param {Record<string, string>} [settings]
 */
async function startFlow(project, flow, settings) {
  writeFileSync(join(project, 'writes.js'), SERVICE)
  const { child, url } = await start(project, 'writes.js', { ...LIMITS, ...settings }, CORE)
  const agent = new Agent({ keepAlive: true, maxSockets: CLIENTS })
  /** @param {string} path @param {object} body */
  const auth = (path, body) => post(`${url}/api/v1/auth/${path}`, body, { agent })
  const clients = await Promise.all(
    Array.from({ length: CLIENTS }, async () => {
      const username = newName()
      await auth('register', { username, email: `${username}@example.com`, password: PASSWORD })
      return { username, ...(await auth('login', { username, password: PASSWORD })) }
    }),
  )
  const once = {
    refresh: async (/** @type {any} */ client) =>
      Object.assign(client, await auth('refresh', { refresh_token: client.refresh_token })),
    login: ({ username = '' }) => auth('login', { username, password: PASSWORD }),
  }[flow]
  /** @param {number} amount a multiple of the number of clients */
  const answers = (amount) =>
    Promise.all(
      clients.map(async (client) => {
        for (let sent = 0; sent < amount / CLIENTS; sent += 1) await once(client)
      }),
    )
  const connect = async () => ({ answers, close: () => agent.destroy() })
  return { children: [child], connect, perSlice: 2 * CLIENTS }
}
