import { readdirSync } from 'node:fs'

const files = readdirSync(new URL('list', import.meta.url)).sort()

/** The mutants of each file of list/, which is named after an area or an add-on. @type {Map<string, import('./mutant.js').Mutant[]>} */
export const mutantsByFile = new Map()
for (const file of files)
  mutantsByFile.set(file.replace(/\.js$/, ''), Object.values(await import(`./list/${file}`)).flat())

/** Every mutant. */
export const mutants = [...mutantsByFile.values()].flat()
