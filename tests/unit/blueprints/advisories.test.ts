// Checks blueprints/advisories.json against the projects of the affected versions and against the current ones.
import nodeFs from 'node:fs'
import { describe, expect, it } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { layersOf, planOf } from '../../../src/blueprints/layers.ts'
import { parseManifest } from '../../../src/project/manifest.ts'
import { compareVersions, isInRange } from '../../../src/system/version.ts'
import { type Advisory, fixed, isVulnerable, readAdvisories } from '../../../src/update/advisories.ts'
import { REAL_BLUEPRINTS, renderOnce } from '../../support/blueprints.ts'
import { FROZEN_VERSIONS, frozenProject, frozenVariants } from '../../support/frozen-projects.js'
import { allPlans } from '../../support/laws.ts'

const advisories = readAdvisories(nodeFs, REAL_BLUEPRINTS)
const frozen = FROZEN_VERSIONS.flatMap((version) =>
  frozenVariants(version).map((variant) => {
    const files = frozenProject(version, variant)
    const { answers } = parseManifest(files['.authsmith/manifest.json'] ?? '')
    return { version, variant, files, plan: planOf(answers) }
  }),
)
const affectedBy = ({ affected, layers }: Advisory) =>
  frozen.filter(({ version, plan }) => isInRange(version, affected) && layersOf(plan, layers).length > 0)

describe('blueprints/advisories.json', () => {
  it('has each id once, in order', () => {
    const ids = advisories.map(({ id }) => id)
    expect(ids.length).toBeGreaterThanOrEqual(5)
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  it.each(advisories)('$id is fixed in a version that is not affected', ({ affected, fixedIn }) => {
    expect(isInRange(fixedIn, affected)).toBe(false)
    expect(compareVersions(fixedIn, packageJson.version)).toBeLessThanOrEqual(0)
  })

  it.each(advisories)('$id is in every project of its versions and layers', (advisory) => {
    expect(affectedBy(advisory).length).toBeGreaterThan(0)
    for (const fix of advisory.files)
      for (const { files } of affectedBy(advisory))
        expect(isVulnerable(files[fix.path] ?? '', fix)).toBe(true)
  })

  it.each(advisories)('$id has a fix that fits these projects', (advisory) => {
    for (const fix of advisory.files)
      for (const { files } of affectedBy(advisory)) {
        const text = fixed(files[fix.path] ?? '', fix)
        expect(text).toBeDefined()
        expect(isVulnerable(text ?? '', fix)).toBe(false)
      }
  })

  it.each(advisories)('$id is in no current project', ({ files }) => {
    for (const plan of allPlans())
      for (const fix of files) expect(isVulnerable(renderOnce(plan).get(fix.path) ?? '', fix)).toBe(false)
  })
})
