import { once } from 'node:events'
import { connect } from 'node:net'

const DEFAULT = { host: '127.0.0.1', port: 6379 }

/** Looks for a Redis server: at TEST_REDIS_URL, or a local one. @returns its URL, or the reason why it is missing */
export async function findRedis(): Promise<{ url: string } | { missing: string }> {
  const { host, port } = DEFAULT
  const url = process.env.TEST_REDIS_URL || ((await answersPing()) ? `redis://${host}:${port}` : undefined)
  return url ? { url } : { missing: `no Redis server at ${host}:${port}; set TEST_REDIS_URL` }
}

async function answersPing(): Promise<boolean> {
  const socket = connect(DEFAULT)
  try {
    await once(socket, 'connect')
    socket.write('PING\r\n')
    const [answer] = await once(socket, 'data')
    return String(answer).startsWith('+PONG')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}
