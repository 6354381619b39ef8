import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { renderOnce } from '../../support/blueprints.ts'
import { exampleAnswers } from '../../support/examples.ts'
import { allPlans } from '../../support/laws.ts'
import { anchorsOf, proseOf } from '../pages.ts'

const nameOf = ({ words }: { words: ReadonlySet<string> }) => [...words].slice(1).join(' ')

/** Paths of the project that a page names: in backticks or in the map, from a top-level entry that every project has or may have. */
function pathsIn(page: string): string[] {
  const inline = [...proseOf(page).matchAll(/`([\w.-]+(?:\/[\w.-]+)*\/?)`/g)].map(([, path = '']) => path)
  const map = [...page.matchAll(/^ {4}([\w.-]+\/\S*)/gm)].map(([, path = '']) => path)
  return [...inline, ...map].filter((path) => /^(src|test|docs|migrations|emails|pages|dev)\//.test(path))
}

/** Files that a page tells to create: the paragraph before a block. */
const createdIn = (page: string) => [...page.matchAll(/^`([^`\n]+)`\n\n```/gm)].map(([, path = '']) => path)

const linesOf = (page: string) => page.trimEnd().split('\n').length

/** The folders on the way to a file. */
const foldersOf = (path: string) =>
  path.split('/').map((_, index, segments) => segments.slice(0, index).join('/'))

const linksIn = (page: string) => [...proseOf(page).matchAll(/\]\(([^)\s]+)\)/g)].map(([, link = '']) => link)

const scriptsIn = (page: string) =>
  [...page.matchAll(/\b(?:npm|pnpm|yarn|bun) run ([\w:]+)/g)].map(([, name = '']) => name)

const settingsIn = (page: string) =>
  [...proseOf(page).matchAll(/`([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)(?:=[^`]*)?`/g)].map(([, name = '']) => name)

/** The routes that a file declares: the folder is the start of the path. */
function routesOf(path: string, source: string): string[] {
  const [, folder = ''] = /^src\/routes(\/.*)?\/[^/]+\.ts$/.exec(path) ?? []
  const declared = [...source.matchAll(/app\.(get|post|put|delete)\(\s*'([^']+)'/g)]
  return /^src\/routes\/(?!dev)/.test(path)
    ? declared.map(([, method = '', url]) => `${method.toUpperCase()} ${folder}${url}`)
    : []
}

/** Variables that are not settings of the service: of its tests, of PostgreSQL, Node and Docker. */
const OTHERS = [
  'TEST_DATABASE_URL',
  'TEST_REDIS_URL',
  'NODE_EXTRA_CA_CERTS',
  'UV_THREADPOOL_SIZE',
  'PGPASSWORD',
  'NAME_FILE',
]

describe.each(allPlans().map((plan) => [nameOf(plan), plan] as const))('%s', (_, plan) => {
  const files = renderOnce(plan)
  const text = (path: string) => files.get(path) ?? ''
  const pages = [...files.keys()].filter((path) => /^(README\.md|AGENTS\.md|docs\/.*)$/.test(path))
  const created = pages.flatMap((page) => createdIn(text(page)))
  const folders = new Set([...files.keys()].flatMap(foldersOf))

  /** What `find` finds in each page, as "page: fault". */
  const inPages = (find: (page: string) => readonly string[]) =>
    pages.flatMap((page) => find(page).map((fault) => `${page}: ${fault}`))

  it('README.md is short, and links every page once; so is AGENTS.md', () => {
    expect(linesOf(text('README.md'))).toBeLessThanOrEqual(110)
    expect(linesOf(text('AGENTS.md'))).toBeLessThanOrEqual(60)
    const rows = text('README.md').match(/^\| \[.*?\) \|/gm) ?? []
    const linked = rows.flatMap((row) => [...row.matchAll(/\[[^\]]+\]\((docs\/[\w-]+\.md)\)/g)])
    expect(linked.map(([, page]) => page).sort()).toEqual(pages.filter((page) => page.startsWith('docs/')))
  })

  it('every page names only paths that exist', () => {
    const exists = (path: string) => files.has(path) || folders.has(path.replace(/\/$/, ''))
    const missing = (page: string) =>
      pathsIn(text(page)).filter((path) => !exists(path) && !created.includes(path))
    expect(inPages(missing)).toEqual([])
  })

  it('every page has only links that lead somewhere', () => {
    const anchors = new Map(pages.map((page) => [page, anchorsOf(text(page))]))
    const leadsSomewhere = (page: string, link: string) => {
      if (/^https?:/.test(link)) return true
      const [path = '', anchor] = link.split('#')
      const target = path === '' ? page : new URL(path, `file:///${page}`).pathname.slice(1)
      return files.has(target) && (anchor === undefined || anchors.get(target)?.includes(anchor))
    }
    const dead = (page: string) => linksIn(text(page)).filter((link) => !leadsSomewhere(page, link))
    expect(inPages(dead)).toEqual([])
  })

  it('docs/api.md lists the routes of the service', () => {
    const routes = [...files].flatMap(([path, source]) => routesOf(path, source))
    expect(routes.length).toBeGreaterThan(4)
    const listed = [...text('docs/api.md').matchAll(/`([A-Z]+ \/[^`?]*)/g)].map(([, route]) => route)
    expect(routes.filter((route) => !listed.includes(route))).toEqual([])
  })

  it('every page names only scripts of package.json', () => {
    const { scripts } = JSON.parse(text('package.json')) as { scripts: Record<string, string> }
    expect(inPages((page) => scriptsIn(text(page)).filter((name) => !(name in scripts)))).toEqual([])
  })

  it('every page names only settings that exist', () => {
    const known = [...text('.env.example').matchAll(/^([A-Z][A-Z0-9_]*)=/gm)].map(([, name]) => name)
    const unknown = (page: string) =>
      settingsIn(text(page)).filter((name) => !known.includes(name) && !OTHERS.includes(name))
    expect(inPages(unknown)).toEqual([])
  })
})

it('docs/ of complete B has at most 1,600 lines without add-ons', () => {
  const answers = exampleAnswers().get('complete-b-sqlite')
  const pages = [...(answers ? renderOnce(planOf(answers)) : [])].filter(([path]) => path.startsWith('docs/'))
  expect(pages.length).toBeGreaterThan(10)
  expect(pages.reduce((sum, [, page]) => sum + linesOf(page), 0)).toBeLessThanOrEqual(1_600)
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
    expect(linksIn('See [one](docs/one.md#a) and [two](https://two.example).')).toEqual([
      'docs/one.md#a',
      'https://two.example',
    ])
    expect(scriptsIn('Use `npm run dev` or `yarn run db:seed`.')).toEqual(['dev', 'db:seed'])
    expect(foldersOf('src/db/db.ts')).toEqual(['', 'src', 'src/db'])
  })
})
