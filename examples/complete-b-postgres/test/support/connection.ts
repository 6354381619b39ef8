import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TestApp } from './app.ts'

/** A TCP connection to a listening app, for tests that `app.inject` does not support. */
export async function openConnection(app: TestApp) {
  const { port } = app.server.address() as AddressInfo
  const socket = connect(port, '127.0.0.1')
  socket.setEncoding('utf8')
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  // After a reset, 'close' follows.
  socket.on('error', () => {})
  const ended = new Promise((resolve) => socket.once('close', resolve))
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return {
    send: (text: string) => void socket.write(text),
    /** Resolves to the text received so far, once it matches the pattern. */
    async receive(pattern: RegExp): Promise<string> {
      while (!pattern.test(received)) await once(socket, 'data')
      return received
    },
    /** Resolves to all received text, once the server has closed the connection. */
    async end(): Promise<string> {
      await ended
      return received
    },
  }
}
