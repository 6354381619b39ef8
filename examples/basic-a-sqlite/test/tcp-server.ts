import { once } from 'node:events'
import { type AddressInfo, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * A server of a test's own that is none of those that the service expects: by default it takes connections and never
 * says a word. It is gone when the test is over.
 * @param onConnection what it does with a connection
 */
export async function startTcpServer(onConnection: (socket: Socket) => void = () => {}) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // A reset is one way to close a connection: 'close' follows.
    socket.on('error', () => {})
    onConnection(socket)
  })
  const port = await listen(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return { server, sockets, port }
}

/** A port that nobody listens on. */
export async function closedPort(): Promise<number> {
  const server = createServer()
  const port = await listen(server)
  server.close()
  await once(server, 'close')
  return port
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
