/**
 * A source of random choices that a number repeats (mulberry32).
 * @typedef {ReturnType<typeof randomFrom>} Random
 */

/** @param {...number} seeds */
export function randomFrom(...seeds) {
  let state = seeds.reduce((mixed, seed) => Math.imul(mixed ^ seed, 0x9e3779b1) ^ (mixed >>> 15), 0x2545f491)
  const next = () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  next()

  return {
    /** From 0 to count - 1. @param {number} count */
    below: (count) => Math.floor(next() * count),

    /** @param {number} share from 0 to 1 */
    chance: (share) => next() < share,

    /** @template Item @param {readonly Item[]} items @returns {Item | undefined} undefined if there is none */
    one: (items) => items[Math.floor(next() * items.length)],

    /** One of the values, by its weight. @template Item @param {readonly (readonly [number, Item])[]} weighted @returns {Item} */
    weighted(weighted) {
      let left = next() * weighted.reduce((sum, [weight]) => sum + weight, 0)
      for (const [weight, item] of weighted) {
        left -= weight
        if (left < 0) return item
      }
      return /** @type {readonly [number, Item]} */ (weighted.at(-1))[1]
    },
  }
}
