import { join } from 'node:path'
import { expect, it } from 'vitest'
import { allowedAddOns } from '../../../src/answers/add-ons.ts'
import { planOf } from '../../../src/blueprints/layers.ts'
import { REAL_BLUEPRINTS, readOnceFs, renderOnce } from '../../support/blueprints.ts'
import { renderSettings } from '../../support/settings.ts'

it('.env.example and docs/settings.md say what src/settings/ defines; npm run examples makes it so', async () => {
  const files = await renderSettings(readOnceFs, REAL_BLUEPRINTS)
  expect(files.size).toBeGreaterThan(10)
  for (const [path, text] of files)
    expect(readOnceFs.readFileSync(join(REAL_BLUEPRINTS, path), 'utf8'), path).toBe(text)
})

it.each(['A', 'B'] as const)('a setting of an add-on is there once, profile %s', (profile) => {
  const accounts = { mode: 'complete', profile, database: 'sqlite' } as const
  const answers = {
    name: 'my-api',
    ...accounts,
    addOns: allowedAddOns(accounts),
    packageManager: 'npm',
  } as const
  const files = renderOnce(planOf(answers))
  const found = (path: string, pattern: RegExp) =>
    [...(files.get(path) ?? '').matchAll(pattern)].map(([, name = '']) => name)
  for (const names of [
    found('.env.example', /^([A-Z][A-Z0-9_]*)=/gm),
    found('docs/settings.md', /^\| `([A-Z][A-Z0-9_]*)` \|/gm),
  ]) {
    expect(names).toContain('JWT_ISSUER')
    expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([])
  }
})
