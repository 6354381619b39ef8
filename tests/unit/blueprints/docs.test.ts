import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { render } from '../../../src/blueprints/render.ts'
import { allPlans } from '../../support/laws.ts'

const nameOf = ({ words }: { words: ReadonlySet<string> }) => [...words].slice(1).join(' ')

/** Text of a page without its fenced blocks. */
const proseOf = (page: string) => page.replace(/^(`{3,})\w*\n.*?\n\1$/gms, '')

/** GitHub's anchors of a page's headings. */
const anchorsOf = (page: string) =>
  [...proseOf(page).matchAll(/^#+ (.+)$/gm)].map(([, heading = '']) =>
    heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-'),
  )

/** Paths of the project that a page names: in backticks or in the map, from a top-level entry that every project has or may have. */
function pathsIn(page: string): string[] {
  const inline = [...proseOf(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, path = '']) => path)
  const map = [...page.matchAll(/^ {4}([\w.-]+\/\S*)/gm)].map(([, path = '']) => path)
  return [...inline, ...map].filter((path) => /^(src|test|docs|migrations|emails|pages|dev)\//.test(path))
}

/** Files that a page tells to create: the paragraph before a block. */
const createdIn = (page: string) => [...page.matchAll(/^`([^`\n]+)`\n\n```/gm)].map(([, path = '']) => path)

const settingsIn = (page: string) =>
  [...proseOf(page).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(([, name = '']) => name)

/** Variables that are not settings of the service: of its tests, of PostgreSQL, Node and Docker. */
const OTHERS = [
  'TEST_DATABASE_URL',
  'TEST_REDIS_URL',
  'NODE_EXTRA_CA_CERTS',
  'UV_THREADPOOL_SIZE',
  'PGPASSWORD',
]

describe.each(allPlans().map((plan) => [nameOf(plan), plan] as const))('%s', (_, plan) => {
  const files = render(fs, 'blueprints', plan)
  const text = (path: string) => files.get(path) ?? ''
  const pages = [...files.keys()].filter((path) => /^(README\.md|AGENTS\.md|docs\/.*)$/.test(path))
  const exists = (path: string) =>
    files.has(path) || [...files.keys()].some((file) => file.startsWith(path.replace(/\/?$/, '/')))
  const created = pages.flatMap((page) => createdIn(text(page)))

  it('README.md is one screen, and links every page once', () => {
    expect(text('README.md').split('\n').length).toBeLessThanOrEqual(130)
    const linked = [...text('README.md').matchAll(/^\| \[[^\]]+\]\((docs\/[\w-]+\.md)\) \|/gm)]
    expect(linked.map(([, page]) => page).sort()).toEqual(pages.filter((page) => page.startsWith('docs/')))
  })

  it.each(pages)('%s names only paths that exist', (page) => {
    expect(pathsIn(text(page)).filter((path) => !exists(path) && !created.includes(path))).toEqual([])
  })

  it.each(pages)('%s has only links that lead somewhere', (page) => {
    const links = [...proseOf(text(page)).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)
    const dead = links.filter((link) => {
      if (/^https?:/.test(link)) return false
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : new URL(path, `file:///${page}`).pathname.slice(1)
      return !files.has(target) || (anchor !== undefined && !anchorsOf(text(target)).includes(anchor))
    })
    expect(dead).toEqual([])
  })

  it.each(pages)('%s names only scripts of package.json', (page) => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
    const named = [...text(page).matchAll(/\b(?:npm|pnpm|yarn|bun) run ([\w:]+)/g)].map(
      ([, name = '']) => name,
    )
    expect(named.filter((name) => !(name in scripts))).toEqual([])
  })

  it.each(pages)('%s names only settings that exist', (page) => {
    const known = [...text('.env.example').matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name)
    expect(settingsIn(text(page)).filter((name) => !known.includes(name) && !OTHERS.includes(name))).toEqual(
      [],
    )
  })
})

describe('what the tests above look for', () => {
  it('is found in a page', () => {
    const page = [
      '# A page: `one`',
      'See `src/app.ts` and `A_SETTING=1`.',
      '',
      '`src/new.ts`',
      '',
      '```ts',
      '`src/not.ts` `NOT_ONE`',
      '```',
      '    src/db/   tables',
    ].join('\n')
    expect(pathsIn(page)).toEqual(['src/app.ts', 'src/new.ts', 'src/db/'])
    expect(createdIn(page)).toEqual(['src/new.ts'])
    expect(settingsIn(page)).toEqual(['A_SETTING'])
    expect(anchorsOf(page)).toEqual(['a-page-one'])
  })
})
