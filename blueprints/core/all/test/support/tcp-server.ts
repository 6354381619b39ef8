import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * A TCP server without a protocol. By default it accepts connections and never responds. It stops when the test ends.
 * @param onConnection handles a connection
 */
export async function startTcpServer(onConnection: (socket: Socket) => void = () => {}) {
  const sockets = new Set<Socket>()
  const server = createServer((socket) => {
    sockets.add(socket)
    // After a reset, 'close' follows.
    socket.on('error', () => {})
    onConnection(socket)
  })
  const port = await listen(server)
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    server,
    sockets,
    port,
    /** A port that refuses connections. A client occupies it until the test ends, so that no server can listen on it. */
    async closedPort(): Promise<number> {
      const client = connect(port, '127.0.0.1')
      onTestFinished(() => void client.destroy())
      await once(client, 'connect')
      return client.localPort as number
    },
  }
}

async function listen(server: ReturnType<typeof createServer>): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
