import type { FastifyBaseLogger } from 'fastify'
import { Redis, type RedisOptions } from 'ioredis'
import type { Config } from '../config.ts'
import { type SharedCounts, windowMs } from './counts.ts'

/** One step for Redis, so that attempts at two instances at once cannot both be the last one. The key goes with its window. */
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

/** A request waits this long for Redis at most, and once only: from then on Redis is left alone until it answers again. */
const options: RedisOptions = {
  commandTimeout: 250,
  connectTimeout: 2_000,
  disconnectTimeout: 250,
  retryStrategy: () => 1_000,
  // What was not sent or not answered is counted in memory instead: it must not be counted later once more.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disableClientInfo: true,
}

interface RedisCountsOptions {
  url: string
  keyPrefix: Config['redis']['keyPrefix']
  log: FastifyBaseLogger
}

/** Counts in Redis. Connects in the background, and again whenever the connection is lost, about once a second. */
export function createRedisCounts({ url, keyPrefix, log }: RedisCountsOptions): SharedCounts {
  const redis = new Redis(url, { ...options, keyPrefix: `${keyPrefix}:address-limit:` })
  let state: 'connecting' | 'up' | 'down' | 'closed' = 'connecting'

  const take = (key: string, max: number) =>
    redis.eval(takeScript, 1, key, max, windowMs) as Promise<number | null>

  function goDown(error: Error) {
    if (state === 'down' || state === 'closed') return
    state = 'down'
    // The text only: what ioredis adds to an error holds the command, and that of a login the password.
    const reason = error.message || (error as NodeJS.ErrnoException).code
    log.warn(
      { event: 'redis.down', reason },
      'Redis does not answer: each instance counts addresses for itself',
    )
  }

  /** A connection on which a command failed is not used again: its answers may come yet. */
  function giveUpConnection(error: unknown) {
    if (state === 'up') redis.disconnect(true)
    goDown(error as Error)
  }

  async function goUp() {
    try {
      // A server that takes connections may still refuse to write: it is a replica, or its memory is full.
      await take('probe', Number.MAX_SAFE_INTEGER)
    } catch (error) {
      goDown(error as Error)
      return redis.disconnect(true)
    }
    if (state === 'closed') return
    state = 'up'
    log.info({ event: 'redis.up' }, 'the instances count addresses together')
  }

  redis.on('error', goDown)
  redis.on('close', () => goDown(new Error('Connection closed')))
  redis.on('ready', goUp)

  return {
    async take(key, max) {
      if (state !== 'up') return undefined
      try {
        const refusedForMs = await take(key, max)
        if (refusedForMs !== null) return { refusedForMs }
      } catch (error) {
        giveUpConnection(error)
        return undefined
      }
      return {
        async giveBack() {
          if (state === 'up') await redis.eval(giveBackScript, 1, key).catch(giveUpConnection)
        },
      }
    },
    close() {
      state = 'closed'
      redis.disconnect()
    },
  }
}
