import { Redis, type RedisOptions } from 'ioredis'
import { type Config, ConfigError } from '../config.ts'
import { type Counted, type Counts, type KeyLimit, windowMs } from './address-limit.ts'

/**
 * Atomic, so concurrent attempts at two instances cannot both take the last place. A key expires with its window. One
 * that would expire later, because the server's clock went back, or never would refuse its address until then.
 */
const takeScript = `
local refused = false
for index, key in ipairs(KEYS) do
  local remaining = redis.call('PTTL', key)
  if remaining < 0 or remaining > tonumber(ARGV[1]) then redis.call('DEL', key) end
  if tonumber(redis.call('GET', key) or 0) >= tonumber(ARGV[index + 1]) then
    refused = math.max(refused or 0, redis.call('PTTL', key))
  end
end
if refused then return refused end
for _, key in ipairs(KEYS) do
  redis.call('SET', key, 0, 'PX', ARGV[1], 'NX')
  redis.call('INCR', key)
end
return false`

const giveBackScript = `
for _, key in ipairs(KEYS) do
  if tonumber(redis.call('GET', key) or 0) > 0 then redis.call('DECR', key) end
end`

/** Keeps the wait for Redis short. After one failed command, Redis is not used until it is reconnected. */
const options: RedisOptions = {
  commandTimeout: 250,
  connectTimeout: 2_000,
  disconnectTimeout: 250,
  retryStrategy: () => 1_000,
  maxLoadingRetryTime: 1_000,
  // A failed command is counted in memory instead. Sending it again later would count it twice.
  enableOfflineQueue: false,
  autoResendUnfulfilledCommands: false,
  maxRetriesPerRequest: 0,
  disableClientInfo: true,
}

export interface RedisTimeouts extends Pick<RedisOptions, 'commandTimeout'> {
  /** How long a start waits for Redis, in milliseconds. */
  startMs?: number
}

interface RedisCountsOptions {
  url: string
  keyPrefix: Config['redis']['keyPrefix']
  log: Record<'error' | 'info' | 'warn', (entry: object, message: string) => void>
  timeouts?: RedisTimeouts | undefined
}

type State = 'connecting' | 'up' | 'down' | 'cluster' | 'closed'

/** Keys that no two servers of a cluster share. Any cluster refuses a script with both of them. */
const probes = ['probe:1', 'probe:2']

export interface RedisCounts {
  /** Like `Counts.take`, but never rejects. Resolves to undefined while Redis is unreachable. */
  take(limits: KeyLimit[]): Promise<Counted | undefined>
  close(): void
}

/** While Redis is down, each process counts alone: an attacker who cuts that connection must not end the limits. */
export const orElse = (redis: Pick<RedisCounts, 'take'>, memory: Counts): Counts => ({
  take: async (limits) => (await redis.take(limits)) ?? memory.take(limits),
})

const clusterError = 'REDIS_URL must be a single Redis server, not a Redis Cluster'

/**
 * Counts in Redis. Reconnects about once a second when the connection is lost.
 * @returns when the first attempt to connect has ended, or takes too long: the service starts without Redis
 * @throws ConfigError if the server belongs to a cluster
 */
export async function createRedisCounts({
  url,
  keyPrefix,
  log,
  timeouts: { startMs = 3_000, ...timeouts } = {},
}: RedisCountsOptions): Promise<RedisCounts> {
  const redis = new Redis(url, { ...options, ...timeouts, keyPrefix: `${keyPrefix}:address-limit:` })
  let state: State = 'connecting'
  let endFirstAttempt = (_state: State) => {}
  const firstAttempt = new Promise<State>((resolve) => {
    endFirstAttempt = resolve
  })

  function become(next: State) {
    state = next
    endFirstAttempt(next)
  }

  const keysOf = (limits: KeyLimit[]) => limits.map(({ key }) => key)
  const takeInRedis = async (limits: KeyLimit[]) => {
    const maxima = limits.map(({ max }) => max)
    const reply = await redis.eval(takeScript, limits.length, ...keysOf(limits), windowMs, ...maxima)
    return reply as number | null
  }

  function goDown(error: Error) {
    if (state !== 'connecting' && state !== 'up') return
    become('down')
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

  /** A server of a cluster counts only its share of the keys: an attacker would have the limit of each instance. */
  function refuseCluster() {
    const isStarted = state !== 'connecting'
    become('cluster')
    redis.disconnect()
    if (isStarted)
      log.error({ event: 'redis.cluster' }, `${clusterError}. Each instance counts addresses separately`)
  }

  async function goUp() {
    try {
      // A server can accept connections and still refuse writes, for example a replica or one whose memory is full.
      await takeInRedis(probes.map((key) => ({ key, max: Number.MAX_SAFE_INTEGER })))
    } catch (error) {
      if (/^CROSSSLOT/.test((error as Error).message)) return refuseCluster()
      goDown(error as Error)
      return redis.disconnect(true)
    }
    if (state === 'closed') return
    become('up')
    log.info({ event: 'redis.up' }, 'Redis is connected: all instances count addresses together')
  }

  redis.on('error', goDown)
  redis.on('close', () => goDown(new Error('Connection closed')))
  redis.on('ready', goUp)

  // A server that loads its data accepts connections, but may not be ready for minutes.
  const timer = setTimeout(() => goDown(new Error('Not ready')), startMs)
  const first = await firstAttempt
  clearTimeout(timer)
  if (first === 'cluster') throw new ConfigError(clusterError)
  return {
    async take(limits) {
      if (state !== 'up') return undefined
      try {
        const refusedForMs = await takeInRedis(limits)
        if (refusedForMs !== null) return { refusedForMs }
      } catch (error) {
        dropConnection(error)
        return undefined
      }
      return {
        async giveBack() {
          if (state !== 'up') return
          await redis.eval(giveBackScript, limits.length, ...keysOf(limits)).catch(dropConnection)
        },
      }
    },
    close() {
      become('closed')
      redis.disconnect()
    },
  }
}
