import { once } from 'node:events'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import type { TestApp } from './app.ts'

/**
 * A TCP connection to a listening app, for tests that `app.inject` does not support.
 * @param allowHalfOpen keeps the client's side open after the server has closed its own
 */
export async function openConnection(app: TestApp, allowHalfOpen = false) {
  const { port } = app.server.address() as AddressInfo
  const accepting = once(app.server, 'connection') as Promise<[Socket]>
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen })
  socket.setEncoding('utf8')
  let received = ''
  socket.on('data', (text: string) => {
    received += text
  })
  // After a reset, 'close' follows.
  socket.on('error', () => {})
  const ended = new Promise((resolve) => socket.once('close', resolve))
  onTestFinished(() => void socket.destroy())
  const [[accepted]] = await Promise.all([accepting, once(socket, 'connect')])
  return {
    /** The server's socket of this connection. */
    accepted,
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
