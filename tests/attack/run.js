// npm run attack [-- --variant complete-b-sqlite --part mutants --project <folder> --seed 1 --calls 1000 --steps 1000]:
// attacks created services and prints a table of figures for each part. --variant and --part can be repeated. --seed and
// --calls are for the part fuzz, --seed and --steps for accounts. Exit code 1 if a goal is missed.
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { attackAccounts } from './accounts/attack.js'
import { attackCost } from './cost/cost.js'
import { attackFloods } from './floods/attack.js'
import { attackFuzz } from './fuzz/fuzz.js'
import { attackMail } from './mail/attack.js'
import { attackMutants } from './mutants/attack.js'
import { mutantsByFile } from './mutants/list.js'
import { createTarget, openTarget, variants } from './target.js'
import { attackTellTales } from './tell-tales/attack.js'
import { attackWithTools } from './tools/tools.js'

/**
 * A measured value and the goal that it has to meet.
 * @typedef {object} Figure
 * @property {string} what
 * @property {string} value
 * @property {string} goal
 * @property {boolean} isMissed
 */

/** @typedef {{ seed?: number, calls?: number, steps?: number, only?: string }} Options */

/**
 * Every part of the laboratory, in the order in which they run.
 * @type {Record<string, (target: import('./target.js').Target, options: Options) => Promise<Figure[]>>}
 */
const parts = {
  mutants: (target, { only }) => attackMutants(target, mutantsByFile.get(only ?? '')),
  cost: (target) => attackCost(target),
  fuzz: attackFuzz,
  accounts: attackAccounts,
  floods: (target) => attackFloods(target),
  'tell-tales': (target) => attackTellTales(target),
  mail: (target) => attackMail(target),
  tools: attackWithTools,
}

// A normal exit also ends the programs that a part has started.
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

const { values } = parseArgs({
  options: {
    variant: { type: 'string', multiple: true, default: variants },
    part: { type: 'string', multiple: true, default: Object.keys(parts) },
    project: { type: 'string' },
    seed: { type: 'string' },
    calls: { type: 'string' },
    steps: { type: 'string' },
    only: { type: 'string' },
  },
})
const chosen = values.part.map((name) => {
  const part = parts[name]
  if (!part) throw new Error(`There is no part ${name}. Choose from: ${Object.keys(parts).join(', ')}.`)
  return { name, part }
})

const scratch = mkdtempSync(join(tmpdir(), 'create-authsmith-attack-'))
process.once('exit', () => rmSync(scratch, { recursive: true, force: true }))

const { project, seed, calls, steps, only } = values
if (only !== undefined && !mutantsByFile.has(only))
  throw new Error(
    `There is no file ${only} of mutants. Choose from: ${[...mutantsByFile.keys()].join(', ')}.`,
  )
const options = {
  ...(seed && { seed: Number(seed) }),
  ...(calls && { calls: Number(calls) }),
  ...(steps && { steps: Number(steps) }),
  ...(only && { only }),
}
const targets = project === undefined ? values.variant : [project]
console.log(`Attacks ${targets.join(', ')} with ${values.part.join(', ')}`)

/** @type {Figure[]} */
const all = []
for (const name of targets) {
  const target = project === undefined ? createTarget(scratch, name) : openTarget(project)
  for (const { name: partName, part } of chosen) {
    console.log(`\n${target.variant}, ${partName}`)
    const figures = await part(target, options)
    print(figures)
    all.push(...figures)
  }
}
const missed = all.filter(({ isMissed }) => isMissed).length
console.log(`\n${all.length} goals, ${missed} missed`)
process.exitCode = missed > 0 ? 1 : 0

/** @param {Figure[]} figures */
function print(figures) {
  const width = Math.max(...figures.map(({ what }) => what.length))
  for (const { what, value, goal, isMissed } of figures)
    console.log(`${isMissed ? 'MISSED' : 'met   '}  ${what.padEnd(width)}  ${value}  (goal: ${goal})`)
}
