import { Redis, type RedisOptions } from 'ioredis'
import type { Config } from '../config.ts'
import { type SharedCounts, windowMs } from './counts.ts'

/** Atomic, so concurrent attempts at two instances cannot both take the last place. The key expires with the window. */
const takeScript = `
local count = redis.call('GET', KEYS[1])
if not count then
  redis.call('SET', KEYS[1], 1, 'PX', ARGV[2])
elseif tonumber(count) < tonumber(ARGV[1]) then
  redis.call('INCR', KEYS[1])
else
  return redis.call('PTTL', KEYS[1])
end
return false`

const giveBackScript = `
local count = redis.call('GET', KEYS[1])
if count and tonumber(count) > 0 then redis.call('DECR', KEYS[1]) end`

/** Keeps the wait for Redis short. After one failed command, Redis is not used until it is reconnected. */
const options: RedisOptions = {
  commandTimeout: 250,
  connectTimeout: 2_000,
  disconnectTimeout: 250,
  retryStrategy: () => 1_000,
  // A failed command is counted in memory instead. Sending it again later would count it twice.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disableClientInfo: true,
}

export type RedisTimeouts = Pick<RedisOptions, 'commandTimeout'>

interface RedisCountsOptions {
  url: string
  keyPrefix: Config['redis']['keyPrefix']
  log: Record<'info' | 'warn', (entry: object, message: string) => void>
  timeouts?: RedisTimeouts
}

/** Counts in Redis. Connects in the background, and reconnects about once a second when the connection is lost. */
export function createRedisCounts({ url, keyPrefix, log, timeouts }: RedisCountsOptions): SharedCounts {
  const redis = new Redis(url, { ...options, ...timeouts, keyPrefix: `${keyPrefix}:address-limit:` })
  let state: 'connecting' | 'up' | 'down' | 'closed' = 'connecting'

  const takeInRedis = (key: string, max: number) =>
    redis.eval(takeScript, 1, key, max, windowMs) as Promise<number | null>

  function goDown(error: Error) {
    if (state === 'down' || state === 'closed') return
    state = 'down'
    // Log only the message: ioredis attaches the failed command to its errors, and AUTH contains the password.
    const reason = error.message || (error as NodeJS.ErrnoException).code
    log.warn(
      { event: 'redis.down', reason },
      'Redis is unavailable: each instance counts addresses separately',
    )
  }

  /** Drops the connection after a failed command, because late replies may still arrive on it. */
  function dropConnection(error: unknown) {
    if (state === 'up') redis.disconnect(true)
    goDown(error as Error)
  }

  async function goUp() {
    try {
      // A server can accept connections and still refuse writes, for example a replica or one whose memory is full.
      await takeInRedis('probe', Number.MAX_SAFE_INTEGER)
    } catch (error) {
      goDown(error as Error)
      return redis.disconnect(true)
    }
    if (state === 'closed') return
    state = 'up'
    log.info({ event: 'redis.up' }, 'Redis is connected: all instances count addresses together')
  }

  redis.on('error', goDown)
  redis.on('close', () => goDown(new Error('Connection closed')))
  redis.on('ready', goUp)

  return {
    async take(key, max) {
      if (state !== 'up') return undefined
      try {
        const refusedForMs = await takeInRedis(key, max)
        if (refusedForMs !== null) return { refusedForMs }
      } catch (error) {
        dropConnection(error)
        return undefined
      }
      return {
        async giveBack() {
          if (state === 'up') await redis.eval(giveBackScript, 1, key).catch(dropConnection)
        },
      }
    },
    close() {
      state = 'closed'
      redis.disconnect()
    },
  }
}
