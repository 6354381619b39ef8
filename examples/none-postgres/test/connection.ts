import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TestApp } from './app.ts'

/** A client's connection to a listening app, for what `app.inject` cannot show. */
export async function openConnection(app: TestApp) {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8')
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  // A reset is one way to close a connection: 'close' follows.
  socket.on('error', () => {})
  const ended = new Promise((resolve) => socket.once('close', resolve))
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return {
    send: (text: string) => void socket.write(text),
    /** Resolves to what was received so far, once that fits the pattern. */
    async receive(pattern: RegExp): Promise<string> {
      while (!pattern.test(received)) await once(socket, 'data')
      return received
    },
    /** Resolves to all that was received, once the server closed the connection. */
    async end(): Promise<string> {
      await ended
      return received
    },
  }
}
