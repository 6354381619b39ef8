import { LRUCache } from 'lru-cache'

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
type Counted = { giveBack: GiveBack } | { refusedForMs: number }

/** Attempts by key, counted in windows. */
export interface Counts {
  /** Counts one attempt for all keys, or for none if one is at its `max`. Concurrent attempts cannot exceed a `max`. */
  take(limits: KeyLimit[]): Promise<Counted>
}

/** Counts that all instances of the service share. */
export interface SharedCounts {
  /** Like `Counts.take`, but never rejects. Resolves to undefined while the shared counts are unreachable. */
  take(limits: KeyLimit[]): Promise<Counted | undefined>
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
