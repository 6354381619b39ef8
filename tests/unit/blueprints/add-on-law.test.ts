// Law 5: a project without an add-on contains nothing of it. Covers src/blueprints/layers.ts.
import { describe, expect, it } from 'vitest'
import { ADD_ON_NAMES, type AddOn, allowedAddOns } from '../../../src/answers/add-ons.ts'
import type { Answers } from '../../../src/answers/answers.ts'
import { allVariants } from '../../../src/answers/variant.ts'
import { planOf } from '../../../src/blueprints/layers.ts'
import { REAL_BLUEPRINTS, renderOnce } from '../../support/blueprints.ts'
import { filesBelow } from '../../support/folder.ts'
import { missingImports } from '../../support/imports.ts'

type Files = ReadonlyMap<string, string>

/** What a file of the core may say about an add-on, by path: the text of development for missing pages, and one COPY. */
const MAY_NAME: Record<string, RegExp> = {
  Dockerfile: /pages/,
}

const VARIANTS = allVariants().filter(
  ({ database, profile }) => (database === 'sqlite') === (profile !== 'A'),
)

/** The files of a project with all add-ons that its variant allows, except some. */
function filesWithout(variant: (typeof VARIANTS)[number], ...removed: AddOn[]): Files {
  const addOns = allowedAddOns(variant).filter((addOn) => !removed.includes(addOn))
  const answers: Answers = { name: 'my-api', ...variant, addOns, packageManager: 'npm' }
  return renderOnce(planOf(answers))
}

/** What names an add-on: its files, settings, errors, events, packages and URLs. */
function namesOf(own: Files, without: Files): string[] {
  const core = [...without.values()].join('\n')
  const all = [...own.values()].join('\n')
  const found = (pattern: RegExp) => [...all.matchAll(pattern)].map(([, name = '']) => name)
  const errors = [...own].filter(([path]) => /^src\/errors\/(?!index|types)/.test(path))
  return [
    ...[...own.keys()].filter((path) => !path.startsWith('test/')),
    ...found(/: \[\s*'([A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+)',/g).filter((name) => !isSetting(without, name)),
    ...errors.flatMap(([, text]) => [...text.matchAll(/^ {2}(\w+): \{/gm)].map(([, name = '']) => name)),
    ...found(/event: '([\w.]+)'/g).filter((event) => !new RegExp(`event: '${event}'`).test(core)),
  ]
}

const isSetting = (files: Files, name: string) =>
  new RegExp(`^${name}=`, 'm').test(files.get('.env.example') ?? '')

/** The packages that only a project with the add-on has. */
function packagesOf(one: Files, other: Files): string[] {
  const names = (files: Files) => {
    const { dependencies = {}, devDependencies = {} } = JSON.parse(files.get('package.json') ?? '{}')
    return Object.keys({ ...dependencies, ...devDependencies })
  }
  return names(one).filter((name) => !names(other).includes(name))
}

describe.each(VARIANTS)('in mode $mode $profile', (variant) => {
  const all = filesWithout(variant)

  it.each(allowedAddOns(variant))('a project without %s contains nothing of it', (addOn) => {
    const without = filesWithout(variant, addOn)
    const own = new Map([...all].filter(([path]) => !without.has(path)))
    expect(own.size, 'the add-on has files').toBeGreaterThan(0)
    const names = [...namesOf(own, without), ...packagesOf(all, without).map((name) => `'${name}'`)]
    const faults = [...without].flatMap(([path, text]) => {
      const said = MAY_NAME[path] ? text.replace(MAY_NAME[path], '') : text
      return names.filter((name) => said.includes(name)).map((name) => `${path} names ${name} of ${addOn}`)
    })
    expect(faults).toEqual([])
  })

  it.each(allowedAddOns(variant))('%s needs no other add-on', (addOn) => {
    const plan = planOf({ name: 'my-api', ...variant, addOns: [addOn], packageManager: 'npm' })
    expect(missingImports(renderOnce(plan))).toEqual([])
  })
})

it('no template tests the flag of an add-on outside its folder, and those for pairs', () => {
  const templates = [...filesBelow(REAL_BLUEPRINTS)].filter(([path]) => path.endsWith('.ejs'))
  const faults = templates.flatMap(([path, text]) =>
    ADD_ON_NAMES.filter((addOn) => {
      const [, own, folder] = path.split('/')
      const isInside = path.startsWith('add-ons/') && (own === addOn || folder?.endsWith(`with-${addOn}`))
      return text.includes(`<% if (${addOn.replaceAll('-', '_')}) {`) && !isInside
    }).map((addOn) => `${path} tests ${addOn}`),
  )
  expect(faults).toEqual([])
})

it('each add-on has a page, and a row in README for it', () => {
  for (const addOn of ADD_ON_NAMES) {
    const [variant] = VARIANTS.filter((each) => allowedAddOns(each).includes(addOn))
    const files = variant ? filesWithout(variant) : new Map<string, string>()
    expect(files.get('README.md'), addOn).toContain(`](docs/${addOn}.md)`)
    expect(files.has(`docs/${addOn}.md`), addOn).toBe(true)
  }
})
