import { visibleJson } from './escape.ts'
import type { World } from './world.ts'

/** What `--json` prints: one object, and nothing in it that a terminal would obey. */
export function printJson(world: World, value: object): void {
  world.print(`${visibleJson(JSON.stringify(value, null, 2))}\n`)
}
