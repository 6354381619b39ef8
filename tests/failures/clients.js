import { randomBytes } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { sendJson } from '../support/request.js'

/**
 * What the service has acknowledged about a user.
 * @typedef {object} Account
 * @property {string} username
 * @property {string} password the newest password
 * @property {string} [oldPassword]
 * @property {Tokens} [live] the newest tokens of a session that was not ended
 * @property {Tokens[]} ended tokens of sessions that were ended
 */

/** @typedef {{ access: string, refresh: string }} Tokens */
/** @typedef {{ status: number, body: any, tries: number }} Answer the final answer, and the number of tries */
/** @typedef {ReturnType<typeof createSender>} Sender */

/** Delay before a retry after a 503 or a failed connection. */
const RETRY_MS = 100

/** Sends requests to the instances in turns. @param {import('./watch.js').Watch} watch */
export function createSender(watch) {
  let isClosed = false
  /** @type {string[]} */
  const urls = []
  /** @type {Map<string, Set<Promise<unknown>>>} the open requests of each instance */
  const open = new Map()
  let turn = 0
  const next = () => {
    turn += 1
    return urls[turn % urls.length] ?? ''
  }

  /**
   * Sends one request. Resolves to undefined without an answer.
   * @param {string} method
   * @param {string} path
   * @param {{ body?: object, token?: string }} [options]
   * @param {string} [url] of the instance; default: the next one
   */
  async function once(method, path, { body, token } = {}, url = next()) {
    const startedAt = performance.now()
    const answer = sendJson(url + path, method, { body, token })
    const requests = open.get(url)
    requests?.add(answer)
    try {
      const { status, headers, text } = await answer
      watch.note(`${method} ${path}`, startedAt, { status, retryAfter: headers.get('retry-after') })
      return { status, body: text === '' ? undefined : JSON.parse(text) }
    } catch (error) {
      watch.note(`${method} ${path}`, startedAt, { error })
      return undefined
    } finally {
      requests?.delete(answer)
    }
  }

  /**
   * Sends a request until the answer is not 503. A request without an answer may have been processed.
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
      if (isClosed) throw new Error(`${method} ${path}: no answer before the end of the test`)
      onRetry?.()
      await delay(RETRY_MS)
    }
  }
  return {
    once,
    send,
    urls,
    /** From now on, sends requests to this instance too. @param {string} url */
    add(url) {
      urls.push(url)
      open.set(url, new Set())
    },
    /** Sends this instance no more requests. Resolves when it has answered the last one. @param {string} url */
    async remove(url) {
      urls.splice(urls.indexOf(url), 1)
      await Promise.allSettled(open.get(url) ?? [])
    },
    /** Ends all retries. */
    close() {
      isClosed = true
    },
  }
}

/**
 * Starts clients that each send one request after another, and use every flow that changes data.
 * @param {Sender} sender
 * @param {number} count
 */
export function startClients({ send }, count) {
  /** @type {Account[]} */
  const accounts = []
  const perClient = () => Array.from({ length: count }, () => 0)
  /** Per client: how many requests were answered, and how many failed or got a 503. */
  const events = { answered: perClient(), turnedAway: perClient() }
  /** @type {Set<() => void>} */
  const watchers = new Set()
  let isStopping = false
  /** A unique prefix of user names, because several runs may share a database. */
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
   * Runs one user after another.
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
   * The steps of a user. After each step the account contains what was acknowledged.
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
      // After a lost answer the same token returns the same successor.
      account.live = tokensIn((await post('refresh', { refresh_token: live().refresh }, isOk)).body)
    }
    const changePassword = async () => {
      const { password: current_password } = account
      const new_password = `${current_password}x`
      const passwords = { current_password, new_password }
      // If the answer is lost, the change has ended the session.
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
      // If the answer is lost, the name is already taken.
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
  // `each` and `stop` rethrow an error. This prevents an unhandled rejection before that.
  working.catch(() => {})
  return {
    accounts,
    /**
     * Resolves when the event has happened `times` more times to each client.
     * @param {keyof typeof events} event
     * @param {number} times
     * @throws Error on the first unexpected answer
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
    /** Resolves when every client has its last answer. @throws Error on the first unexpected answer */
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
