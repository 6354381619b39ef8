import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'

export interface StallingProxy {
  /** The database's URL through the proxy. */
  url: string
  stop(): void
}

/**
 * A proxy to a database server that forwards the first `bytes` of its answers, and then nothing: the client stays in
 * the middle of its work until the test has seen what it did, however slow the machine is.
 */
export async function startStallingProxy(target: string, bytes: number): Promise<StallingProxy> {
  const { hostname, port } = new URL(target)
  const sockets: Socket[] = []
  let left = bytes
  const server = createServer((client) => {
    const upstream = connect(Number(port || 5432), hostname)
    sockets.push(client, upstream)
    // The client is killed, which breaks its connection.
    for (const socket of [client, upstream]) socket.on('error', () => {})
    client.pipe(upstream)
    upstream.on('data', (data: Buffer) => {
      left -= data.length
      if (left > 0) client.write(data)
      else upstream.pause()
    })
    upstream.on('end', () => client.end())
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const url = new URL(target)
  url.hostname = '127.0.0.1'
  url.port = String((server.address() as AddressInfo).port)
  return {
    url: url.href,
    stop() {
      for (const socket of sockets) socket.destroy()
      server.close()
    },
  }
}
