import { connect } from 'node:net'

/** @typedef {{ status: number, body: string, at: number }} Answer `at`: when its last byte arrived, in milliseconds */
/** @typedef {{ body?: object | undefined, token?: string | undefined, address?: string | undefined }} RequestOptions */

/**
 * A request as it goes over the wire.
 * @param {string} method
 * @param {string} path
 * @param {RequestOptions} [options] `address`: the client's, as a trusted proxy names it
 */
export function rawRequest(method, path, { body, token, address } = {}) {
  const text = body === undefined ? '' : JSON.stringify(body)
  const lines = [`${method} ${path} HTTP/1.1`, 'Host: 127.0.0.1']
  if (address !== undefined) lines.push(`X-Forwarded-For: ${address}`)
  if (token !== undefined) lines.push(`Authorization: Bearer ${token}`)
  if (body !== undefined) lines.push('Content-Type: application/json')
  if (method !== 'GET') lines.push(`Content-Length: ${Buffer.byteLength(text)}`)
  return `${lines.join('\r\n')}\r\n\r\n${text}`
}

/**
 * A keep-alive connection that adds as little as possible to the times it measures.
 * @param {string} url
 */
export function openConnection(url) {
  const { hostname, port } = new URL(url)
  const socket = connect(Number(port), hostname).setNoDelay()
  let received = ''
  /** @type {{ resolve: (answer: Answer) => void, reject: (error: Error) => void } | undefined} */
  let waiting
  socket.setEncoding('latin1').on('data', (part) => {
    received += part
    const answer = readAnswer(received)
    if (!answer || !waiting) return
    received = ''
    waiting.resolve({ ...answer, at: performance.now() })
    waiting = undefined
  })
  socket.on('error', () => {})
  socket.on('close', () => waiting?.reject(new Error('The service closed the connection')))
  return {
    /** One request at a time. @param {string} raw @returns {Promise<Answer>} */
    send: (raw) =>
      new Promise((resolve, reject) => {
        if (socket.destroyed) reject(new Error('The connection is closed'))
        waiting = { resolve, reject }
        socket.write(raw)
      }),
    close: () => void socket.destroy(),
  }
}

/** The response, once all of it has arrived. @param {string} text */
function readAnswer(text) {
  const headersEnd = text.indexOf('\r\n\r\n')
  if (headersEnd < 0) return undefined
  const length = Number(/\r\ncontent-length: (\d+)/i.exec(text)?.[1] ?? 0)
  const body = text.slice(headersEnd + 4)
  return body.length < length ? undefined : { status: Number(text.slice(9, 12)), body }
}
