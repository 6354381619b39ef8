import nodeFs from 'node:fs'
import { expect, it } from 'vitest'
import { readReleasedPaths } from '../../../src/update/owner/released-paths.ts'
import { REAL_BLUEPRINTS, renderOnce } from '../../support/blueprints.ts'
import { allPlans } from '../../support/laws.ts'

it('blueprints/moved.json maps paths that no variant has to paths that one has', () => {
  const present = new Set(allPlans().flatMap((plan) => [...renderOnce(plan).keys()]))
  const moved = [...readReleasedPaths(nodeFs, REAL_BLUEPRINTS)]
  expect(moved.filter(([path, newPath]) => present.has(path) || !present.has(newPath))).toEqual([])
})
