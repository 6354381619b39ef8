import { once } from 'node:events'
import { connect } from 'node:net'

export const CONNECTIONS = 64

/**
 * Opens connections that repeat a request, which is answered once before.
 * @param {import('./compare.js').Request} request
 * @param {string} mark what the answer contains
 * @param {number} [count]
 * @returns {Promise<import('./compare.js').Connections>}
 */
export async function repeat({ url, headers }, mark, count = CONNECTIONS) {
  const answer = await fetch(url, { headers })
  const body = await answer.text()
  if (!answer.ok || !body.includes(mark)) throw new Error(`${url}: ${answer.status} ${body}`)
  return openConnections({ url, headers }, count, body)
}

/**
 * Opens connections that repeat one request, each as soon as it has its answer. They cost less than half of what
 * autocannon costs, so that it is the server that all wait for.
 * @param {import('./compare.js').Request} request
 * @param {number} count
 * @param {string} body that every answer ends with
 */
async function openConnections({ url, headers }, count, body) {
  const { host, hostname, port, pathname } = new URL(url)
  const fields = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const request = `GET ${pathname} HTTP/1.1\r\n${fields.join('')}\r\n`
  let [due, missing] = [0, 0]
  /** @type {(error?: Error) => void} */
  let done = () => {}

  const sockets = Array.from({ length: count }, () => {
    const socket = connect({ host: hostname, port: Number(port), noDelay: true })
    let received = ''
    socket.setEncoding('latin1')
    socket.on('data', (chunk) => {
      received += chunk
      if (!received.startsWith('HTTP/1.1 200 ')) return done(new Error(`${url}: ${received}`))
      if (!received.endsWith(body)) return
      received = ''
      missing -= 1
      if (due > 0) {
        due -= 1
        socket.write(request)
      } else if (missing === 0) done()
    })
    socket.on('error', done)
    socket.on('close', () => done(new Error(`${url}: a connection was closed after: ${received}`)))
    return socket
  })
  await Promise.all(sockets.map((socket) => once(socket, 'connect')))

  return {
    /**
     * @param {number} amount of answers, at least one for each connection
     * @returns {Promise<void>} ends when all are here
     */
    answers: (amount) =>
      new Promise((resolve, reject) => {
        done = (error) => (error ? reject(error) : resolve())
        missing = amount
        due = amount - count
        for (const socket of sockets) socket.write(request)
      }),

    close() {
      done = () => {}
      for (const socket of sockets) socket.destroy()
    },
  }
}
