import nodeFs from 'node:fs'
import { describe, expect, it } from 'vitest'
import packageJson from '../../../package.json' with { type: 'json' }
import { isVulnerable, readAdvisories } from '../../../src/audit/advisories.ts'
import { compareVersions, isInRange } from '../../../src/system/version.ts'
import { REAL_BLUEPRINTS, renderOnce } from '../../support/blueprints.ts'
import { allPlans } from '../../support/laws.ts'

describe('blueprints/advisories.json', () => {
  const advisories = readAdvisories(nodeFs, REAL_BLUEPRINTS)

  it('has each id once, in order', () => {
    const ids = advisories.map(({ id }) => id)
    expect(ids).toEqual([...new Set(ids)].sort())
  })

  it('names versions with a fix that are not affected', () => {
    const wrong = advisories.filter(
      ({ affected, fixedIn }) =>
        isInRange(fixedIn, affected) || compareVersions(fixedIn, packageJson.version) > 0,
    )
    expect(wrong).toEqual([])
  })

  it('has no text that a current project has', () => {
    const fixes = advisories.flatMap(({ files }) => files)
    const present = allPlans().flatMap((plan) =>
      fixes.filter((fix) => isVulnerable(renderOnce(plan).get(fix.path) ?? '', fix)),
    )
    expect(present).toEqual([])
  })
})
