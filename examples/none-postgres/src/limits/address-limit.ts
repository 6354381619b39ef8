import ipaddr from 'ipaddr.js'
import { ApiError } from '../errors.ts'
import type { Counts, GiveBack, SharedCounts } from './counts.ts'

/** A limit per client address. */
export interface AddressLimit {
  /**
   * Counts one attempt.
   * @returns a function that uncounts it
   * @throws ApiError too_many_requests until the window ends
   */
  take(address: string): Promise<GiveBack>
}

interface AddressLimitOptions {
  /** Separates the counts of this limit from those of other limits. */
  name: string
  max: number
  memory: Counts
  shared?: SharedCounts | undefined
}

/**
 * Allows `max` attempts per client address and minute, counted across all instances. While the shared counts are down,
 * this process counts alone: an attacker who cuts that connection must not be able to disable the limit.
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

/** Used when RATE_LIMIT_ENABLED is false. */
export const noLimit: AddressLimit = { take: async () => async () => {} }

/**
 * The key of a client. An IPv6 client has a whole /64 and could use a new address per attempt: the /64 counts as one.
 * An IPv4 address written as IPv6 (::ffff:192.0.2.1) counts as that IPv4 address.
 */
export function clientOf(address: string): string {
  if (!ipaddr.isValid(address)) return address
  const parsed = ipaddr.process(address)
  return parsed.kind() === 'ipv6' ? parsed.toByteArray().slice(0, 8).join('.') : parsed.toString()
}
