import { type Client, clientOf } from './client.ts'
import { type Service, type ServiceOptions, startService } from './service.ts'

/** Instances of a service, used through a round-robin client. */
export interface Instances extends Client {
  readonly all: readonly Service[]
  /** Stops all instances. @returns their joined output */
  stop(): Promise<{ stdout: string; stderr: string }>
}

/** Starts instances in parallel with the same settings. Resolves when all listen, and are connected to Redis if set. */
export async function startInstances(count: number, options: ServiceOptions): Promise<Instances> {
  const all = await Promise.all(Array.from({ length: count }, () => startService(options)))
  if (options.env?.REDIS_URL)
    await Promise.all(all.map(({ running }) => running.until(/"event":"redis\.up"/)))
  const [first] = all
  if (!first) throw new Error('count must be at least 1')
  let requests = 0
  const send: Client['send'] = (...request) => {
    const next = all[requests % count] ?? first
    requests += 1
    return next.send(...request)
  }
  return {
    ...clientOf(first.url, send),
    all,
    stop: async () => {
      const ended = await Promise.all(all.map((service) => service.stop()))
      const joined = (stream: 'stdout' | 'stderr') => ended.map((service) => service[stream]).join('')
      return { stdout: joined('stdout'), stderr: joined('stderr') }
    },
  }
}
