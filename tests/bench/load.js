import { connect } from 'node:net'

/** @typedef {{ url: string, headers?: Record<string, string> }} Request */

/**
 * Connections that repeat one request, each as soon as its answer is there. They cost a fifth of what autocannon costs,
 * so that the server is what they wait for.
 * @param {Request} request
 * @param {number} count of connections
 * @param {string} body what every answer contains after its head
 */
export async function openConnections({ url, headers = {} }, count, body) {
  const { host, hostname, port, pathname } = new URL(url)
  const fields = Object.entries({ host, ...headers }).map(([name, value]) => `${name}: ${value}\r\n`)
  const text = Buffer.from(`GET ${pathname} HTTP/1.1\r\n${fields.join('')}\r\n`)
  let due = 0
  let missing = 0
  /** @type {(error?: Error) => void} */
  let done = () => {}
  const sockets = await Promise.all(
    Array.from({ length: count }, async () => {
      const socket = connect({ host: hostname, port: Number(port), noDelay: true })
      let received = ''
      socket.setEncoding('latin1')
      socket.on('data', (chunk) => {
        received += chunk
        if (!received.endsWith(body)) return
        if (!received.startsWith('HTTP/1.1 200')) return done(new Error(received))
        received = ''
        missing -= 1
        if (due > 0) {
          due -= 1
          socket.write(text)
        } else if (missing === 0) done()
      })
      socket.on('error', (error) => done(error))
      socket.on('close', () => done(new Error(`${url} closed a connection`)))
      await new Promise((resolve, reject) => socket.once('connect', resolve).once('error', reject))
      return socket
    }),
  )
  return {
    /** @param {number} amount of answers, at least one for each connection */
    answers: (amount) =>
      new Promise((resolve, reject) => {
        done = (error) => (error ? reject(error) : resolve(undefined))
        missing = amount
        due = amount - count
        for (const socket of sockets) socket.write(text)
      }),
    close: () => {
      done = () => {}
      for (const socket of sockets) socket.destroy()
    },
  }
}
