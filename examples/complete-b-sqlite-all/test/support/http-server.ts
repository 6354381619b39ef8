import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'

export interface Received {
  method: string
  url: string
  headers: IncomingHttpHeaders
  body: string
}

/** Starts a server on this machine for a test. @returns its origin, and what it has received */
export async function startServer(
  answer: (request: Received, response: ServerResponse) => unknown,
  onFinished = onTestFinished,
) {
  const requests: Received[] = []
  const server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request
    const received = { method, url, headers, body: await text(request) }
    requests.push(received)
    await answer(received, response)
  })
  await once(server.listen(0, '127.0.0.1').unref(), 'listening')
  onFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests }
}
