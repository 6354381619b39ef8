import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { ApiError } from '../errors/api-error.ts'

/** Who sends a request. */
export interface Client {
  /** Its IP address. */
  address: string
}

/** A limit per client address. */
export interface AddressLimit {
  /**
   * Counts one attempt.
   * @param account what is attempted, if each has a count of its own
   * @returns a function that uncounts it
   * @throws ApiError too_many_requests until the window ends
   */
  take(address: string, account?: string): Promise<GiveBack>
}

export type AddressLimits = ReturnType<typeof createAddressLimits>

/** The limits per client address. */
export function createAddressLimits({ enabled }: { enabled: boolean }, now: () => number) {
  const memories = new Map<string, Counts>()
  const limits = {
    /** Where the attempts at a name are counted: in this process. A plugin can replace it. */
    countsOf(name: string): Counts {
      const memory = memories.get(name) ?? createMemoryCounts(now)
      memories.set(name, memory)
      return memory
    },
    /** A limit of `max` attempts per client address and minute. Those of one name share their counts. */
    limit: (name: string, max: number): AddressLimit => ({
      async take(address, account = '') {
        if (!enabled) return async () => {}
        const keys = networksOf(address).map(({ network, times }) => ({
          key: `${name}${account && `:${account}`}:${network}`,
          max: max * times,
        }))
        // Asked at each attempt: a plugin may come later than the limit.
        const counted = await limits.countsOf(name).take(keys)
        if ('giveBack' in counted) return counted.giveBack
        const retryAfter = Math.max(1, Math.ceil(counted.refusedForMs / 1000))
        throw new ApiError('too_many_requests', { retryAfter, log: { limit: name } })
      },
    }),
  }
  return limits
}

interface Network {
  /** The key of the network. */
  network: string
  /** How many times the limit of one client the network has. */
  times: number
}

/** The prefix of IPv4 addresses behind NAT64 (RFC 6052). */
const nat64 = ipaddr.parseCIDR('64:ff9b::/96')

/**
 * The networks that an address counts for: the client and, for IPv6, the /56 and the /48 around its /64. An attacker
 * with such a network could use a new /64 per attempt.
 */
export function networksOf(address: string): [client: Network, ...wider: Network[]] {
  if (!ipaddr.isValid(address)) return [{ network: address, times: 1 }]
  // An IPv4 address written as IPv6 (::ffff:192.0.2.1) becomes that IPv4 address.
  const ip = ipaddr.process(address)
  const bytes = ip.toByteArray()
  if (ip.kind() === 'ipv4') return [{ network: bytes.join('.'), times: 1 }]
  if (ip.match(nat64)) return [{ network: bytes.slice(12).join('.'), times: 1 }]
  const prefix = (length: number) => bytes.slice(0, length / 8).join('.')
  return [
    { network: prefix(64), times: 1 },
    { network: prefix(56), times: 4 },
    { network: prefix(48), times: 16 },
  ]
}

/** The key of a client: an IPv4 address, or the /64 of an IPv6 address, since a client has a whole /64. */
export const clientOf = (address: string): string => networksOf(address)[0].network

/** Length of a window in milliseconds. A window starts with its first attempt. */
export const windowMs = 60_000

/** Uncounts one attempt. Call it once. */
export type GiveBack = () => Promise<void>

/** How many attempts a window of this key may have. */
export interface KeyLimit {
  key: string
  max: number
}

/** An attempt was counted, or refused because a window is full. A refusal does not extend the window. */
export type Counted = { giveBack: GiveBack } | { refusedForMs: number }

/** Attempts by key, counted in windows. */
export interface Counts {
  /** Counts one attempt for all keys, or for none if one is at its `max`. Concurrent attempts cannot exceed a `max`. */
  take(limits: KeyLimit[]): Promise<Counted>
}

/** Maximum number of keys. A flood of addresses evicts the oldest keys, so memory stays bounded. */
const maxKeys = 50_000

/** Counts in the memory of this process. */
export function createMemoryCounts(now: () => number): Counts {
  // `maxSize` instead of `max`, which would allocate the memory for all keys up front.
  const windows = new LRUCache<string, { count: number; endsAt: number }>({
    maxSize: maxKeys,
    sizeCalculation: () => 1,
  })
  return {
    async take(limits) {
      const counted = limits.map(({ key, max }) => {
        const last = windows.get(key)
        // A window that ends later than a new one would is from before the clock went back.
        const isCurrent = last && last.endsAt > now() && last.endsAt <= now() + windowMs
        const window = isCurrent ? last : { count: 0, endsAt: now() + windowMs }
        return { key, max, window }
      })
      const full = counted.filter(({ max, window }) => window.count >= max)
      if (full.length > 0)
        return { refusedForMs: Math.max(...full.map(({ window }) => window.endsAt - now())) }
      for (const { key, window } of counted) {
        window.count += 1
        windows.set(key, window)
      }
      return {
        giveBack: async () => {
          for (const { window } of counted) window.count -= 1
        },
      }
    },
  }
}
