import { describe, expect, it } from 'vitest'
import { planOf } from '../../../src/blueprints/layers.ts'
import { outputPath, render } from '../../../src/blueprints/render.ts'
import { basicB, memoryFs } from '../../support/fixtures.ts'

const rendered = (answers = basicB, files: Record<string, string> = {}) =>
  render(memoryFs(files).fs, '/blueprints', planOf(answers))

describe('render', () => {
  it('returns the files of the layers, sorted', () => {
    expect([...rendered().keys()]).toEqual([
      '.env.example',
      '.gitignore',
      'README.md',
      'migrations/sqlite/0000_init.sql',
      'package.json',
      'src/app.ts',
      'src/db.ts',
      'src/passwords.ts',
    ])
    expect([
      ...rendered({
        name: 'x',
        mode: 'none',
        database: 'postgres',
        addOns: [],
        packageManager: 'pnpm',
      }).keys(),
    ]).toEqual([
      '.env.example',
      '.gitignore',
      'README.md',
      'package.json',
      'pnpm-workspace.yaml',
      'src/app.ts',
      'src/db.ts',
      'src/routes/notes.ts',
    ])
  })

  it('joins package.json and .env.example, in the order of the layers', () => {
    const files = rendered()
    expect(files.get('.env.example')).toBe(
      '# Where to listen\nPORT=3000\n\nJWT_SECRET_KEY=change-me\nJWT_PREVIOUS_KEY=change-me\n',
    )
    expect(JSON.parse(files.get('package.json') ?? '')).toMatchObject({
      name: 'my-api',
      scripts: { dev: 'tsx src/server.ts', user: 'tsx src/user.ts' },
    })
  })

  it('copies every other file as it is, and renders .ejs only', () => {
    const files = rendered(basicB, {
      '/blueprints/core/all/src/raw.ts': "export const tag = '<%= name %>'\n",
    })
    expect(files.get('src/raw.ts')).toBe("export const tag = '<%= name %>'\n")
    expect(files.get('src/app.ts')).toBe("export const name = 'my-api'\nexport const accounts = true\n")
    expect(files.get('README.md')).toBe('# my-api\n\nStart: `npm run dev`\n\n## Accounts\n')
  })

  it('refuses a path that comes from two layers', () => {
    const twice = { '/blueprints/core/auth/src/db.ts': 'export {}\n' }
    expect(() => rendered(basicB, twice)).toThrow('src/db.ts comes from two layers')
    const template = { '/blueprints/core/auth/src/db.ts.ejs': 'export {}\n' }
    expect(() => rendered(basicB, template)).toThrow('src/db.ts comes from two layers')
    const readme = { '/blueprints/core/auth/README.md': '# Accounts\n' }
    expect(() => rendered(basicB, readme)).toThrow('README.md comes from two layers')
    const inherited = { '/blueprints/core/all/constructor': 'a', '/blueprints/core/auth/constructor': 'b' }
    expect(() => rendered(basicB, inherited)).toThrow('constructor comes from two layers')
  })

  it('takes the file of a pair of add-ons in place of that of one', () => {
    const both = { ...basicB, addOns: ['metrics', 'pages'] }
    const alone = { '/blueprints/add-ons/pages/all/pages/session.js': 'alone\n' }
    const pair = { '/blueprints/add-ons/metrics/with-pages/pages/session.js': 'both\n' }
    expect(rendered(both, { ...alone, ...pair }).get('pages/session.js')).toBe('both\n')
    expect(rendered({ ...basicB, addOns: ['pages'] }, { ...alone, ...pair }).get('pages/session.js')).toBe(
      'alone\n',
    )
  })

  it.each([
    ['_gitignore', '.gitignore'],
    ['_env.example.ejs', '.env.example'],
    ['_github/workflows/ci.yml', '.github/workflows/ci.yml'],
    ['src/__x/_y.ts', 'src/__x/_y.ts'],
    ['_index.ts', '_index.ts'],
    ['src/_gitignore', 'src/.gitignore'],
  ])('writes %s as %s', (file, path) => {
    expect(outputPath(file)).toBe(path)
  })

  it('returns the same bytes for the same answers', () => {
    expect([...rendered()]).toEqual([...rendered()])
  })
})
