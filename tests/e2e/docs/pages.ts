import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { EVERY_RUN, isWhole } from '../variants/every-run.ts'
import { type Block, blocksOf, pagesOf } from './blocks.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')

/** Variants whose documentation is followed from the first page to the last. Few pages of the others have other blocks. */
const FOLLOWED = ['complete-a-sqlite', 'none-sqlite']

export interface Page {
  readonly page: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** Its blocks switch the database, so it is followed last: after the pages of add-ons, which come after it. */
const SWITCHING = 'docs/switching.md'

/** Every page of a variant, otherwise in the order of README.md. @param name the project's name */
function pagesIn(variant: string, name: string): Page[] {
  const read = (page: string) =>
    readFileSync(join(EXAMPLES, variant, page), 'utf8').replaceAll('my-api', name)
  const pages = pagesOf(read('README.md'))
  return [...pages.filter((page) => page !== SWITCHING), SWITCHING].map((page) => {
    const text = read(page)
    return { page, text, blocks: blocksOf(page, text) }
  })
}

/** The pages that a run follows in a variant: all, or those with a block that it follows in no variant before. */
export function pagesToFollow(variant: string, name: string): Page[] {
  if (isWhole || FOLLOWED.includes(variant)) return pagesIn(variant, name)
  const followed = new Set(FOLLOWED.flatMap((other) => keysOf(pagesIn(other, name))))
  for (const next of EVERY_RUN.filter((other) => !FOLLOWED.includes(other))) {
    const pages = pagesIn(next, name).filter((page) => keysOf([page]).some((key) => !followed.has(key)))
    if (next === variant) return pages
    for (const key of keysOf(pages)) followed.add(key)
  }
  return []
}

const keysOf = (pages: readonly Page[]) =>
  pages.flatMap(({ page, blocks }) =>
    blocks
      .filter(({ notRun }) => !notRun)
      .map(({ language, file, text }) => JSON.stringify([page, language, file, text])),
  )

/** The test files that pages write, and those that check the rules in docs/extending.md. */
export function testsOf(pages: readonly Page[]): string[] {
  const written = pages.flatMap(({ blocks }) => blocks.map(({ file = '' }) => file))
  const rules = pages
    .filter(({ page }) => page === 'docs/extending.md')
    .flatMap(({ text }) => [...text.matchAll(/`(test\/[^`]+)`/g)].map(([, file = '']) => file))
  return [...new Set([...written, ...rules])].filter((file) => file.endsWith('.test.ts'))
}
