// Prints which layer each file of a project comes from: npm run layers -- <example>[+<add-on>…] [path]
import fs from 'node:fs'
import { ADD_ON_NAMES, isAllowed, sortedAddOns } from '../../src/answers/add-ons.ts'
import { planOf } from '../../src/blueprints/layers.ts'
import { sourcesOf } from '../../src/blueprints/render.ts'
import { exampleAnswers } from './examples.ts'
import { refuse } from './refuse.ts'

const [example = '', path = ''] = process.argv.slice(2)
const [name = '', ...added] = example.split('+')
const examples = exampleAnswers()
const answers = examples.get(name)
if (!answers) refuse(`Name an example: ${[...examples.keys()].join(', ')}.`)
const unknown = added.find((addOn) => !ADD_ON_NAMES.includes(addOn) || !isAllowed(addOn, answers))
if (unknown !== undefined) refuse(`${name} cannot have the add-on ${unknown}.`)
const plan = planOf({ ...answers, addOns: sortedAddOns([...answers.addOns, ...added]) })
const sources = [...sourcesOf(fs, 'blueprints', plan)].filter(([file]) => file.startsWith(path)).sort()
for (const [file, from] of sources) console.log(`${file}  ${from.map(({ layer }) => layer).join(', ')}`)
