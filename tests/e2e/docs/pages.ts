import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { isWhole } from '../variants/every-run.ts'
import { type Block, blocksOf, pagesOf } from './blocks.ts'

const EXAMPLES = join(import.meta.dirname, '../../../examples')

/** Variants whose documentation is followed from the first page to the last. Together they have nearly every block. */
const FOLLOWED = ['complete-b-postgres', 'complete-a-sqlite', 'none-sqlite']

export interface Page {
  readonly page: string
  readonly text: string
  readonly blocks: readonly Block[]
}

/** Every page of a variant, in the order of README.md. @param name the project's name */
function pagesIn(variant: string, name: string): Page[] {
  const read = (page: string) =>
    readFileSync(join(EXAMPLES, variant, page), 'utf8').replaceAll('my-api', name)
  return pagesOf(read('README.md')).map((page) => {
    const text = read(page)
    return { page, text, blocks: blocksOf(page, text) }
  })
}

/** The pages that a run follows in a variant: all, or those with a block that it follows in no other variant. */
export function pagesToFollow(variant: string, name: string): Page[] {
  const pages = pagesIn(variant, name)
  if (isWhole || FOLLOWED.includes(variant)) return pages
  const followed = new Set(FOLLOWED.flatMap((other) => keysOf(pagesIn(other, name))))
  return pages.filter((page) => keysOf([page]).some((key) => !followed.has(key)))
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
