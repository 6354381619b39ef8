import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { freePort } from '../support/port.js'

/** @typedef {Awaited<ReturnType<typeof createAddress>>} Address */

/** An address that moves from one database server to another, as a DNS name or the address of a load balancer does. */
export async function createAddress() {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set()
  let target = 0
  const server = createServer((client) => {
    const upstream = connect(target, '127.0.0.1')
    for (const [one, other] of [
      [client, upstream],
      [upstream, client],
    ]) {
      if (!one || !other) continue
      sockets.add(one)
      one.on('error', () => {})
      one.on('close', () => {
        sockets.delete(one)
        other.destroy()
      })
      one.pipe(other)
    }
  })
  const port = await freePort()
  await once(server.listen(port, '127.0.0.1'), 'listening')
  const cut = () => {
    for (const socket of sockets) socket.destroy()
  }
  return {
    url: `postgres://service@127.0.0.1:${port}/postgres`,
    /** New connections go to this server. Open ones stay where they are. @param {{ port: number }} to */
    moveTo(to) {
      target = to.port
    },
    /** Breaks the open connections. */
    cut,
    close() {
      cut()
      server.close()
    },
  }
}
