import fs from 'node:fs'
import { describe, expect, it } from 'vitest'
import { renderOnce } from '../../support/blueprints.ts'
import { frozenProject, frozenVariants } from '../../support/frozen-projects.js'
import { allPlans } from '../../support/laws.ts'

const moved: Record<string, string> = JSON.parse(fs.readFileSync('blueprints/moved.json', 'utf8'))
const pathsOf = (projects: readonly Iterable<string>[]) => new Set(projects.flatMap((paths) => [...paths]))

describe('blueprints/moved.json', () => {
  const before = pathsOf(
    frozenVariants('0.1.0').map((variant) => Object.keys(frozenProject('0.1.0', variant))),
  )
  const now = pathsOf(allPlans().map((plan) => renderOnce(plan).keys()))

  it('maps files of version 0.1.0 that no longer exist', () => {
    expect(Object.keys(moved).filter((path) => !before.has(path))).toEqual([])
    expect(Object.keys(moved).filter((path) => now.has(path))).toEqual([])
  })

  it('maps to files that a current variant has', () => {
    expect(Object.values(moved).filter((path) => !now.has(path))).toEqual([])
  })
})
