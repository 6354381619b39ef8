import { LRUCache } from 'lru-cache'

/** Length of a window in milliseconds. A window starts with its first attempt. */
export const windowMs = 60_000

/** Uncounts one attempt. Call it once. */
export type GiveBack = () => Promise<void>

/** An attempt was counted, or refused because its window is full. A refusal does not extend the window. */
type Counted = { giveBack: GiveBack } | { refusedForMs: number }

/** Attempts by key, counted in windows. */
export interface Counts {
  /** Counts one attempt unless the key's window already has `max`. Concurrent attempts cannot exceed `max`. */
  take(key: string, max: number): Promise<Counted>
}

/** Counts that all instances of the service share. */
export interface SharedCounts {
  /** Like `Counts.take`, but never rejects. Resolves to undefined while the shared counts are unreachable. */
  take(key: string, max: number): Promise<Counted | undefined>
  close?(): void
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
    async take(key, max) {
      let window = windows.get(key)
      if (!window || window.endsAt <= now()) {
        window = { count: 0, endsAt: now() + windowMs }
        windows.set(key, window)
      }
      if (window.count >= max) return { refusedForMs: window.endsAt - now() }
      window.count += 1
      const counted = window
      return {
        giveBack: async () => {
          counted.count -= 1
        },
      }
    },
  }
}
