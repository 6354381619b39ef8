import { LRUCache } from 'lru-cache'
import { type Counts, windowMs } from './counts.ts'

/** How many keys are remembered. A flood from more addresses than that pushes out the oldest: memory stays bounded. */
const maxKeys = 50_000

/** Counts in the memory of this process. */
export function createMemoryCounts(now: () => number): Counts {
  // Counted by size: `max` would reserve the memory for all of them at once.
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
