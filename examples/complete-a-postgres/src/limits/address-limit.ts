import ipaddr from 'ipaddr.js'
import { ApiError } from '../errors.ts'
import type { Counts, GiveBack, SharedCounts } from './counts.ts'

/** A limit for each client address. */
export interface AddressLimit {
  /**
   * Counts one.
   * @returns what takes it back, where only failures count
   * @throws ApiError too_many_requests beyond the limit, until the minute is over
   */
  take(address: string): Promise<GiveBack>
}

interface AddressLimitOptions {
  /** Each limit counts for itself: its counts are kept under its name. */
  name: string
  max: number
  memory: Counts
  shared?: SharedCounts | undefined
}

/**
 * At most `max` for each client address and minute: counted together with the other instances, and by this process alone
 * while that is not possible. Whoever could cut the connection to what they share must not switch the limit off.
 */
export function createAddressLimit({ name, max, memory, shared }: AddressLimitOptions): AddressLimit {
  return {
    async take(address) {
      const key = `${name}:${clientOf(address)}`
      const counted = (await shared?.take(key, max)) ?? (await memory.take(key, max))
      if ('giveBack' in counted) return counted.giveBack
      throw new ApiError('too_many_requests', {
        retryAfter: Math.max(1, Math.ceil(counted.refusedForMs / 1000)),
      })
    },
  }
}

/** For settings that switch the limits off. */
export const noLimit: AddressLimit = { take: async () => async () => {} }

/**
 * The key of a client. An IPv6 customer owns a whole /64 and could use a new address for each try, so that counts as
 * one; an IPv4 address written as IPv6 (::ffff:192.0.2.1) is the IPv4 address.
 */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}
