import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sendJson } from './request.js'

/**
 * What the service has acknowledged of a user.
 * @typedef {object} Account
 * @property {string} username
 * @property {string} password the newest
 * @property {string} [oldPassword]
 * @property {Tokens} [live] the newest tokens of a session that was not ended
 * @property {Tokens[]} ended tokens of sessions that were ended
 */

/** @typedef {{ access: string, refresh: string }} Tokens */
/** @typedef {{ status: number, body: any, tries: number }} Answer the one that counts, and how many it took */
/** @typedef {ReturnType<typeof createSender>} Sender */

/** A client that is told to come back, or that reached nobody, comes back after so long. */
const RETRY_MS = 100

/**
 * @param {string} url
 * @param {import('./watch.js').Watch} watch
 */
export function createSender(url, watch) {
  let isClosed = false

  /**
   * One request. Undefined where nobody answered.
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, token?: string }} [options]
   */
  async function once(method, path, { body, token } = {}) {
    const startedAt = performance.now()
    try {
      const { status, headers, text } = await sendJson(url + path, method, { body, token })
      watch.note(`${method} ${path}`, startedAt, { status, retryAfter: headers.get('retry-after') })
      return { status, body: text === '' ? undefined : JSON.parse(text) }
    } catch (error) {
      watch.note(`${method} ${path}`, startedAt, { error })
      return undefined
    }
  }

  /**
   * Sends a request until it is answered with anything but 503. One that was not answered may have been carried out.
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, token?: string }} [options]
   * @param {() => void} [onRetry]
   * @returns {Promise<Answer>}
   */
  async function send(method, path, options, onRetry) {
    for (let tries = 1; ; tries += 1) {
      const answer = await once(method, path, options)
      if (answer && answer.status !== 503) return { ...answer, tries }
      if (isClosed) throw new Error('no answer until the end')
      onRetry?.()
      await delay(RETRY_MS)
    }
  }
  return {
    once,
    send,
    /** What was not answered by now never will be. */
    close() {
      isClosed = true
    },
  }
}

/**
 * Keeps `count` clients busy, each with one request after another. They use everything whose loss would be noticed.
 * @param {Sender} sender
 * @param {number} count
 */
export function startClients({ send }, count) {
  /** @type {Account[]} */
  const accounts = []
  const perClient = () => Array.from({ length: count }, () => 0)
  /** How often each client so far was answered, and how often it was not, or with 503. */
  const events = { answered: perClient(), turnedAway: perClient() }
  /** @type {Set<() => void>} */
  const watchers = new Set()
  let isStopping = false
  /** Of nobody else: one database may serve several runs. */
  const name = randomBytes(4).toString('hex')

  /** @param {keyof typeof events} event @param {number} client */
  function happened(event, client) {
    events[event][client] = (events[event][client] ?? 0) + 1
    for (const look of watchers) look()
  }

  /**
   * @param {number} client
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, token?: string }} options
   * @param {(answer: Answer) => boolean} isExpected
   */
  async function expecting(client, method, path, options, isExpected) {
    const answer = await send(method, `/api/v1/${path}`, options, () => happened('turnedAway', client))
    if (!isExpected(answer)) {
      const { status, tries, body } = answer
      throw new Error(`${method} ${path}: ${status} at try ${tries}, ${JSON.stringify(body)}`)
    }
    happened('answered', client)
    return answer
  }

  /**
   * One user after another.
   * @param {number} client
   */
  async function work(client) {
    for (let number = 0; !isStopping; number += 1) {
      for (const step of life(client, `${name}-${client}-${number}`)) {
        await step()
        if (isStopping) return
      }
    }
  }

  /**
   * The steps of a user's life. After each of them his account says what was acknowledged.
   * @param {number} client
   * @param {string} username
   * @returns {Generator<() => Promise<void>>}
   */
  function* life(client, username) {
    /** @type {Account} */
    const account = { username, password: 'Correct-Horse-7', ended: [] }
    /** @param {string} path @param {object} body @param {(answer: Answer) => boolean} isExpected */
    const post = (path, body, isExpected, token = '') =>
      expecting(client, 'POST', `auth/${path}`, { body, token }, isExpected)
    const logIn = async () => {
      const { body } = await post('login', { username, password: account.password }, isOk)
      return tokensIn(body)
    }
    const live = () => /** @type {Tokens} */ (account.live)
    const end = () => {
      if (account.live) account.ended.push(account.live)
      delete account.live
    }

    const readMe = async () => {
      await expecting(client, 'GET', 'users/me', { token: live().access }, isOk)
    }
    const refresh = async () => {
      // After a lost answer the same token gives the same successor.
      account.live = tokensIn((await post('refresh', { refresh_token: live().refresh }, isOk)).body)
    }
    const changePassword = async () => {
      const { password: current_password } = account
      const new_password = `${current_password}x`
      const passwords = { current_password, new_password }
      // A change whose answer was lost has ended the session.
      const changed = await post(
        'change-password',
        passwords,
        (answer) => isOk(answer) || (answer.tries > 1 && answer.status === 401),
        live().access,
      )
      end()
      account.oldPassword = current_password
      account.password = new_password
      account.live = isOk(changed) ? tokensIn(changed.body) : await logIn()
    }
    const logOut = async () => {
      await post('logout', { refresh_token: live().refresh }, ({ status }) => status === 204)
      end()
    }

    yield async () => {
      const body = { username, email: `${username}@example.com`, password: account.password }
      // A registration whose answer was lost has taken the name.
      await post('register', body, ({ status, tries }) => status === 201 || (tries > 1 && status === 409))
      accounts.push(account)
    }
    for (const change of [logOut, changePassword]) {
      yield async () => {
        account.live ??= await logIn()
      }
      yield readMe
      yield refresh
      yield readMe
      yield change
    }
    for (let time = 0; time < 20; time += 1) yield time % 4 === 0 ? refresh : readMe
  }

  const working = Promise.all(perClient().map((_, client) => work(client)))
  // Whoever waits for the clients is told; until then it is no unhandled rejection.
  working.catch(() => {})
  return {
    accounts,
    /**
     * Resolves when it has happened to each client so many times more.
     * @param {keyof typeof events} event
     * @param {number} times
     * @throws Error as soon as an answer is wrong
     */
    async each(event, times) {
      const goals = events[event].map((soFar) => soFar + times)
      const isReached = () => events[event].every((soFar, client) => soFar >= (goals[client] ?? 0))
      const reached = new Promise((/** @type {(value: void) => void} */ resolve) => {
        const look = () => {
          if (!isReached()) return
          watchers.delete(look)
          resolve()
        }
        watchers.add(look)
      })
      await Promise.race([reached, working])
    },
    /** Resolves when every client has had its last answer. @throws Error with the first wrong answer */
    async stop() {
      isStopping = true
      await working
    },
  }
}

/** @param {{ status: number }} answer */
const isOk = ({ status }) => status === 200

/** @param {any} body @returns {Tokens} */
const tokensIn = ({ access_token: access, refresh_token: refresh }) => ({ access, refresh })
