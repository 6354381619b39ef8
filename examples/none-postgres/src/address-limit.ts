import ipaddr from 'ipaddr.js'
import { LRUCache } from 'lru-cache'
import { ApiError } from './errors.ts'

/** A limit for each client address. */
export interface AddressLimit {
  /** Counts one. @throws ApiError too_many_requests beyond the limit, until the minute is over. */
  take(address: string): Promise<void>
  /** Takes one back, where only failures count. */
  giveBack(address: string): Promise<void>
}

const windowMs = 60_000

/** How many addresses a limit remembers. A flood from more of them pushes out the oldest: memory stays bounded. */
const maxAddresses = 50_000

/** At most `max` for each client address and minute, kept in memory. */
export function createAddressLimit({ max, now }: { max: number; now: () => number }): AddressLimit {
  // Counted by size: `max` would reserve the memory for all of them at once, for each limit.
  const windows = new LRUCache<string, { count: number; endsAt: number }>({
    maxSize: maxAddresses,
    sizeCalculation: () => 1,
  })
  return {
    async take(address) {
      const client = clientOf(address)
      let window = windows.get(client)
      if (!window || window.endsAt <= now()) {
        window = { count: 0, endsAt: now() + windowMs }
        windows.set(client, window)
      }
      if (window.count >= max) {
        throw new ApiError('too_many_requests', { retryAfter: Math.ceil((window.endsAt - now()) / 1000) })
      }
      window.count += 1
    },
    async giveBack(address) {
      const window = windows.get(clientOf(address))
      if (window && window.count > 0) window.count -= 1
    },
  }
}

/** For settings that switch the limits off. */
export const noLimit: AddressLimit = { take: async () => {}, giveBack: async () => {} }

/**
 * The key of a client. An IPv6 customer owns a whole /64 and could use a new address for each try, so that counts as
 * one; an IPv4 address written as IPv6 (::ffff:192.0.2.1) is the IPv4 address.
 */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}
