import { networksOf } from './address-limit.ts'

/** What waits of a network: the work of a client, or the smaller networks in it. */
interface Line<Work> {
  waiting: number
  work: Work[]
  /** First comes the network whose last turn is longest ago. */
  networks: Map<string, Line<Work>>
}

/** Work that waits for the turn of its client. */
export interface Turns<Work> {
  /** @returns false if the client, or a network around it, has too much waiting */
  add(address: string, work: Work): boolean
  /** Removes the work whose turn it is. */
  next(): Work | undefined
  isEmpty(): boolean
}

/**
 * Lets clients alternate. In IPv6, /48s alternate, in each its /56s, in those the /64s: an attacker with a /48 would have
 * 65,536 turns if all /64s alternated, and one customer of a provider would hold up the others if only /48s did.
 * @param max how much work of a client may wait
 */
export function createTurns<Work>(max = Number.POSITIVE_INFINITY): Turns<Work> {
  const newLine = (): Line<Work> => ({ waiting: 0, work: [], networks: new Map() })
  const all = newLine()

  function take(line: Line<Work>): Work | undefined {
    line.waiting -= 1
    const [first] = line.networks
    if (!first) return line.work.shift()
    const [network, part] = first
    const work = take(part)
    line.networks.delete(network)
    if (part.waiting > 0) line.networks.set(network, part)
    return work
  }

  return {
    add(address, work) {
      const lines = [all]
      let line = all
      for (const { network, times } of networksOf(address).reverse()) {
        const part = line.networks.get(network) ?? newLine()
        // A /56 twice as much as a client, a /48 four times: one customer of a provider leaves room for the others.
        if (part.waiting >= max * Math.sqrt(times)) return false
        line.networks.set(network, part)
        lines.push(part)
        line = part
      }
      line.work.push(work)
      for (const each of lines) each.waiting += 1
      return true
    },
    next: () => (all.waiting > 0 ? take(all) : undefined),
    isEmpty: () => all.waiting === 0,
  }
}
