import { ADD_ON_NAMES, type AddOn, definitionOf, requirementOf } from '../../src/answers/add-ons.ts'

/** The pages of this repository with a table of all add-ons, and the cells after the name. */
export const ADD_ON_PAGES: Readonly<Record<string, (addOn: AddOn) => string[]>> = {
  'README.md': (addOn) => [definitionOf(addOn).line],
  'docs/add-ons.md': (addOn) => [definitionOf(addOn).line, requirementOf(addOn)],
}

/** The page with the rows of today's add-ons. @throws Error if it has no such table */
export function withAddOnRows(page: string, text: string): string {
  const rows = ADD_ON_NAMES.map(
    (addOn) => `| ${[`\`${addOn}\``, ...(ADD_ON_PAGES[page]?.(addOn) ?? [])].join(' | ')} |\n`,
  )
  const [table] = /(?<=^\| add-on \|.*\n\|-.*\n)(\| `.*\n)+/m.exec(text) ?? []
  if (table === undefined) throw new Error(`${page} has no table of add-ons.`)
  return text.replace(table, () => rows.join(''))
}
