import { once } from 'node:events'
import { connect } from 'node:net'

const DEFAULT = { host: '127.0.0.1', port: 6379 }

/** Looks for a Redis server: the one of TEST_REDIS_URL, or one on this machine. @returns its address, or why there is none */
export async function findRedis(): Promise<{ url: string } | { missing: string }> {
  const { host, port } = DEFAULT
  const url = process.env.TEST_REDIS_URL || ((await answersPing()) ? `redis://${host}:${port}` : undefined)
  return url ? { url } : { missing: `no Redis server at ${host}:${port}; TEST_REDIS_URL names one` }
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
